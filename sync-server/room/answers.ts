import { SyscallError } from '../../shared/protocol/errors.ts';
import type { IncomingCall } from '../../shared/protocol/peer.ts';
import type { ByteStream } from '../../shared/protocol/streams.ts';
import type { Args, Result, RoomSyscall, SyscallName } from '../../shared/syscalls/table.ts';
import type { Blobs } from './blobs.ts';
import type { DocChannel, DocChannelParts } from './channel-life.ts';
import type { Connection } from './connection.ts';
import type { Control } from './control.ts';
import type { DeviceCalls } from './device-calls.ts';
import { describeDevice, listDevices } from './device-list.ts';
import type { Documents, Use } from './documents.ts';
import type { Inbox } from './inbox.ts';
import type { Leases } from './lease.ts';
import { LogChannel } from './log-channel.ts';
import type { Presence } from './presence.ts';
import type { KernelSession, Session } from './session.ts';
import { SyncChannel } from './sync-channel.ts';

/** Documents that one connection may have open at once. */
export const MAX_CHANNELS = 4096;

/** What the room answers itself, beside what it relays to devices. */
type Answered = RoomSyscall | 'sys.device.list' | 'sys.device.get';
/** Who asks: a call that is a kernel's comes of a kernel. */
export type Asked = { connection: Connection; session: Session };
type Answer<Name extends Answered> = (
  args: Args<Name>,
  asked: Asked,
  call: IncomingCall,
) => Promise<{ data: Result<Name>; stream?: ByteStream }>;
export type RoomAnswers = { [Name in Answered]: Answer<Name> };

export type AnswersParts = {
  control(): Control;
  documents: Documents;
  blobs: Blobs;
  leases: Leases;
  presence: Presence;
  devices: DeviceCalls;
  inbox: Inbox;
};

export function isAnswered(answers: RoomAnswers, name: SyscallName): name is Answered {
  return Object.hasOwn(answers, name);
}

/** Everything that the room answers itself, by name. */
export function roomAnswers(parts: AnswersParts): RoomAnswers {
  return {
    ...documentAnswers(parts),
    ...blobAnswers(parts),
    ...leaseAnswers(parts),
    ...deviceAnswers(parts),
    ...inboxAnswers(parts),
  };
}

function documentAnswers({ documents }: AnswersParts) {
  return {
    'doc.open': async ({ doc, channel }, { connection }) => ({
      data: {
        seq: await openChannel(
          connection,
          { doc, channel, use: () => documents.open(doc) },
          (parts) => new SyncChannel(parts),
          (sync) => sync.start(),
        ),
      },
    }),
    'log.open': async ({ doc, channel, since, hash }, { connection }) => ({
      data: {
        seq: await openChannel(
          connection,
          { doc, channel, use: () => documents.openLog(doc) },
          (parts) => new LogChannel(parts),
          (log) => log.start(since, hash),
        ),
      },
    }),
    'doc.close': async ({ channel }, { connection }) => {
      const open = connection.channels.get(channel);
      await open?.finish();
      return { data: { closed: open !== undefined } };
    },
    'doc.clear': async () => ({ data: { removed: await documents.clear() } }),
    'doc.remove': async ({ docs }) => ({ data: { removed: await documents.remove(docs) } }),
  } satisfies Partial<RoomAnswers>;
}

function blobAnswers({ blobs }: AnswersParts) {
  return {
    'blob.missing': async (args) => ({ data: await blobs.missing(args) }),
    'blob.put': async (args, _asked, { stream, signal }) => ({ data: await blobs.put(args, stream, signal) }),
    'blob.get': async (args) => {
      const { size, stream } = await blobs.get(args);
      return { data: { size }, stream };
    },
    'blob.release': async (args) => ({ data: await blobs.release(args) }),
  } satisfies Partial<RoomAnswers>;
}

function leaseAnswers({ leases }: AnswersParts) {
  return {
    'lease.acquire': async (args, { session }) => ({ data: await leases.acquire(replicaOf(session), args) }),
    'lease.release': async (args, { session }) => ({ data: await leases.release(replicaOf(session), args) }),
    'lease.get': async ({ name }) => ({ data: leases.get(name) }),
  } satisfies Partial<RoomAnswers>;
}

function inboxAnswers({ inbox }: AnswersParts) {
  return {
    'proc.tell': async (args, { session }, { key }) => ({ data: await inbox.put(session.uid, args, key) }),
    'inbox.list': async () => ({ data: await inbox.list() }),
    'inbox.forget': async (args) => ({ data: await inbox.forget(args) }),
  } satisfies Partial<RoomAnswers>;
}

/** For whoever asks while no kernel is there to do it. */
function deviceAnswers({ control, presence, devices }: AnswersParts) {
  const caller = ({ uid }: Session) => ({ uid, gids: control().identity(uid)?.gids ?? [] });
  return {
    'device.call': (args, { session }, call) => devices.sealed(session, args, call),
    'sys.device.list': async ({ includeOffline = false }, { session }) => ({
      data: { devices: listDevices(control(), presence, caller(session), includeOffline) },
    }),
    'sys.device.get': async ({ deviceId }, { session }) => ({
      data: { device: describeDevice(control(), presence, caller(session), deviceId) },
    }),
  } satisfies Partial<RoomAnswers>;
}

function replicaOf(session: Session): KernelSession['replicaId'] {
  if (session.kind !== 'kernel') throw new SyscallError(403, 'Only a browser of this GSV holds leases');
  return session.replicaId;
}

/** The channel takes bytes from this instant on: a replica need not wait for the answer. */
async function openChannel<Kept, Channel extends DocChannel>(
  { channels, peer }: Connection,
  { doc, channel, use }: { doc: string; channel: number; use(): Use<Kept> },
  make: (parts: DocChannelParts<Kept>) => Channel,
  start: (opened: Channel) => Promise<number>,
): Promise<number> {
  if (channels.has(channel)) throw new SyscallError(409, `Channel ${channel} is in use`);
  if (channels.size >= MAX_CHANNELS) throw new SyscallError(429, 'Too many documents are open at once');
  const opened = make({ peer, doc, channel, use: use(), onClosed: () => channels.delete(channel) });
  channels.set(channel, opened);
  try {
    return await start(opened);
  } catch (thrown) {
    opened.close();
    throw thrown;
  }
}
