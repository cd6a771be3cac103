import { randomUUID } from 'node:crypto';
import * as encoding from 'lib0/encoding';
import * as sync from 'y-protocols/sync';
import * as Y from 'yjs';
import type { SignalFrame } from '../../shared/protocol/frames.ts';
import { Peer } from '../../shared/protocol/peer.ts';
import { type PortLike, PortLink } from '../../shared/protocol/port-link.ts';
import { controlTables } from '../../shared/state/control.ts';
import type { SystemDocs } from '../../shared/state/system.ts';
import type { Args, Result, SyscallName } from '../../shared/syscalls/table.ts';
import { Room } from '../../sync-server/room/room.ts';
import { ManualClock } from './manual-clock.ts';
import { MemoryRoomStorage } from './memory-room-storage.ts';
import { connectArgs, type Hello } from './room-client.ts';
import { waitFor } from './server.ts';
import { putToken, systemDocuments } from './system-doc.ts';

export const CLAIM_SECRET = `gsv_claim_${'s'.repeat(43)}`;

/** A connection to a room in this process. */
export type Joined = {
  peer: Peer;
  signals: SignalFrame[];
  closed: () => string | null;
  /** What `sys.connect` answered. */
  welcome: Result<'sys.connect'> | null;
};
/** A room in this process. */
export type MemoryRoom = Awaited<ReturnType<typeof openRoom>>;

/** A room with its clock in hand; `restart` opens another on the same storage. */
export async function openRoom(
  storage = new MemoryRoomStorage(),
  clock = new ManualClock(),
  fetch: (request: Request) => Promise<Response> = noWeb,
) {
  const random = { bytes: (length: number) => new Uint8Array(length), uuid: () => randomUUID() };
  const room = await Room.open({ storage, clock, random, claimSecret: CLAIM_SECRET, fetch });
  const open = (): Joined => {
    const [here, there] = ports();
    const signals: SignalFrame[] = [];
    let closed: string | null = null;
    room.accept(new PortLink(there));
    const peer = new Peer(new PortLink(here), 'connecting', clock, {
      call: async () => ({}),
      signal: (frame) => void signals.push(frame),
      closed: (reason) => {
        closed = reason;
      },
    });
    return { peer, signals, closed: () => closed, welcome: null };
  };
  const connect = async (hello: Hello): Promise<Joined> => {
    const joined = open();
    const { data } = await joined.peer.call('sys.connect', connectArgs(hello));
    return { ...joined, welcome: data as Result<'sys.connect'> };
  };
  return { room, clock, storage, open, connect, restart: () => openRoom(storage, clock, fetch) };
}

function noWeb(): Promise<Response> {
  return Promise.reject(new Error('There is no web here'));
}

const CHANNELS = { control: 2_000_001, system: 2_000_002 };

/** Signs in as a replica whose token `claimedRoom` has put there. */
export function replicaHello(id: string): Hello {
  return { id, role: 'service', username: 'root', token: `gsv_service_of_${id}` };
}

/** A room that `replica-1` has claimed; the tokens of `replica-2` and `replica-3` are there too. */
export async function claimedRoom(opened?: MemoryRoom) {
  const memory = opened ?? (await openRoom());
  const founder = await memory.connect({ ...replicaHello('replica-1'), token: CLAIM_SECRET });
  const { tables: all, ...docs } = systemDocuments();
  const tables = { ...all, ...told(docs) };
  for (const id of ['replica-1', 'replica-2', 'replica-3'])
    putToken(tables, replicaHello(id).token, {
      uid: 0,
      kind: 'service',
      allowedDeviceId: `replica:${id}`,
    });
  putToken(tables, 'gsv_user_alice', { uid: 1000, kind: 'user' });
  putToken(tables, 'gsv_node_any', { uid: 1000, kind: 'node' });
  const store = storer(founder, docs);
  await store('control');
  return {
    ...memory,
    founder,
    tables,
    kernel: (id: 'replica-2' | 'replica-3') => memory.connect(replicaHello(id)),
    /** Changes rows and waits until the room has stored them. */
    change: async (run: (changed: typeof tables) => void): Promise<void> => {
      run(tables);
      await store('control');
      await store('system');
    },
  };
}

/** The tables of which a room is told everything, words too. */
function told({ control }: Pick<SystemDocs, 'control'>) {
  const { tokens, replicas } = controlTables(control);
  return { tokens, replicas };
}

/** Sends what is new in a document, and waits until the room has stored it. */
function storer(founder: Joined, docs: Pick<SystemDocs, keyof typeof CHANNELS>) {
  const sent = { control: 0, system: 0 };
  const told: Record<string, Uint8Array> = {};
  return async (name: keyof typeof CHANNELS): Promise<void> => {
    const update = Y.encodeStateAsUpdate(docs[name], told[name]);
    const { structs, ds } = Y.decodeUpdate(update);
    if (structs.length === 0 && ds.clients.size === 0) return;
    told[name] = Y.encodeStateVector(docs[name]);
    const channel = CHANNELS[name];
    if (sent[name] === 0) await founder.peer.call('doc.open', { doc: name, channel });
    sent[name] += 1;
    sendUpdate(founder, channel, update);
    await acknowledged(founder, channel, sent[name]);
  };
}

/** Calls and hands out the data alone. */
export async function ask<Name extends SyscallName>(
  { peer }: Pick<Joined, 'peer'>,
  name: Name,
  args: Args<Name>,
): Promise<Result<Name>> {
  return (await peer.call(name, args)).data as Result<Name>;
}

/** A document's state as one update. */
export function updateOf(rows: Record<string, unknown>): Uint8Array {
  const doc = new Y.Doc();
  for (const [key, value] of Object.entries(rows)) doc.getMap('rows').set(key, value);
  return Y.encodeStateAsUpdate(doc);
}

/** Sends an update on an open channel. */
export function sendUpdate({ peer }: Joined, channel: number, update: Uint8Array): void {
  const encoder = encoding.createEncoder();
  encoding.writeVarUint(encoder, 0);
  sync.writeUpdate(encoder, update);
  peer.sendBytes(channel, encoding.toUint8Array(encoder));
}

/** Waits until the room has stored so many updates of a channel. */
export function acknowledged({ signals }: Joined, channel: number, count: number): Promise<void> {
  const isAck = ({ signal, payload }: SignalFrame): boolean => {
    const ack = payload as { channel?: number; count?: number };
    return signal === 'doc.ack' && ack.channel === channel && (ack.count ?? 0) >= count;
  };
  return waitFor(() => signals.some(isAck), `acknowledgement ${count} of channel ${channel}`);
}

/** Two ends that hand over what they are given a moment later, in order. */
function ports(): [PortLike, PortLike] {
  const end = (): PortLike & { other: PortLike | null } => {
    const port: PortLike & { other: PortLike | null } = {
      other: null,
      onmessage: null,
      postMessage: (message) => queueMicrotask(() => port.other?.onmessage?.({ data: message })),
      close: () => {},
    };
    return port;
  };
  const [here, there] = [end(), end()];
  here.other = there;
  there.other = here;
  return [here, there];
}
