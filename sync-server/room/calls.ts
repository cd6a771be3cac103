import { SyscallError } from '../../shared/protocol/errors.ts';
import type { IncomingCall, Reply } from '../../shared/protocol/peer.ts';
import { checkArgs, checkCapability, checkName, covers } from '../../shared/syscalls/gate.ts';
import { type Args, type SyscallName, syscallNames, table } from '../../shared/syscalls/table.ts';
import type { Connection } from './connection.ts';
import type { Control } from './control.ts';
import type { DeviceArgs, DeviceCalls } from './device-calls.ts';
import { describeDevice, listDevices } from './device-list.ts';
import type { Documents } from './documents.ts';
import type { Presence } from './presence.ts';
import type { Session } from './session.ts';
import { SyncChannel } from './sync-channel.ts';

/** What answering a call needs of the room. */
export type CallsView = {
  control: Control;
  documents: Documents;
  presence: Presence;
  devices: DeviceCalls;
  capabilities: readonly string[];
};

/**
 * Answers one call of a connection that has signed in. The order is the kernel's: known (404), audience (403),
 * well-formed (400), capability (403), routing.
 */
export async function answer(
  view: CallsView,
  connection: Connection,
  session: Session,
  call: IncomingCall,
): Promise<Reply> {
  const name = checkName(call.call);
  if (!isAudience(name, session)) throw new SyscallError(403, `Permission denied: ${name}`);
  const args = checkArgs(name, call.args);
  checkCapability(view.capabilities, name);
  if (name === 'doc.open') return openDocument(view.documents, connection, args as Args<'doc.open'>);
  if (session.kind === 'user' && isDeviceQuestion(name))
    return { data: answerDevices(view, session.uid, name, args) };
  return view.devices.call(session, name, args as DeviceArgs, call);
}

/** The syscalls that a connection may ask this room for. */
export function callable(session: Session, capabilities: readonly string[]): SyscallName[] {
  return syscallNames.filter((name) => {
    const here =
      table[name].routable || name === 'doc.open' || (session.kind === 'user' && isDeviceQuestion(name));
    return here && isAudience(name, session) && covers(capabilities, name);
  });
}

function isAudience(name: SyscallName, session: Session): boolean {
  const { audience } = table[name];
  return (
    ['user', 'person', 'anyone'].includes(audience) || (audience === 'kernel' && session.kind === 'kernel')
  );
}

function isDeviceQuestion(name: SyscallName): name is 'sys.device.list' | 'sys.device.get' {
  return name === 'sys.device.list' || name === 'sys.device.get';
}

function answerDevices(
  view: CallsView,
  uid: number,
  name: 'sys.device.list' | 'sys.device.get',
  args: unknown,
): unknown {
  const caller = { uid, gids: view.control.identity(uid)?.gids ?? [] };
  if (name === 'sys.device.get') {
    const { deviceId } = args as Args<'sys.device.get'>;
    return { device: describeDevice(view.control, view.presence, caller, deviceId) };
  }
  const { includeOffline = false } = args as Args<'sys.device.list'>;
  return { devices: listDevices(view.control, view.presence, caller, includeOffline) };
}

/** The channel takes bytes from this instant on: a replica need not wait for the answer. */
async function openDocument(
  documents: Documents,
  connection: Connection,
  { doc, channel }: Args<'doc.open'>,
): Promise<Reply> {
  if (connection.channels.has(channel)) throw new SyscallError(409, `Channel ${channel} is in use`);
  const sync = new SyncChannel(connection.peer, doc, channel, documents.open(doc));
  connection.channels.set(channel, sync);
  try {
    return { data: { seq: await sync.start() } };
  } catch (thrown) {
    connection.channels.delete(channel);
    throw thrown;
  }
}
