import { SyscallError } from '../../shared/protocol/errors.ts';
import type { IncomingCall, Reply } from '../../shared/protocol/peer.ts';
import { capabilityOf, checkArgs, checkCapability, checkName, covers } from '../../shared/syscalls/gate.ts';
import { type SyscallName, syscallNames, table } from '../../shared/syscalls/table.ts';
import { type Asked, isAnswered, type RoomAnswers } from './answers.ts';
import type { DeviceArgs, DeviceCalls } from './device-calls.ts';
import type { Leases } from './lease.ts';
import type { Session } from './session.ts';

/** What answering a call needs of the room. */
export type CallsView = { answers: RoomAnswers; devices: DeviceCalls; leases: Leases };

/**
 * Answers one call of a connection that has signed in. The order is the kernel's: known (404), audience (403),
 * well-formed (400), capability (403), then the lease under which it is made (409), routing.
 */
export async function answer(
  { answers, devices, leases }: CallsView,
  asked: Asked,
  capabilities: readonly string[],
  call: IncomingCall,
): Promise<Reply> {
  const { session } = asked;
  const name = checkName(call.call);
  if (!isAudience(name, session)) throw new SyscallError(403, `Permission denied: ${name}`);
  const args = checkArgs(name, call.args);
  checkCapability(capabilities, capabilityOf(name));
  if (call.lease) leases.check(call.lease, session.kind === 'kernel' ? session.replicaId : undefined);
  if (isAnswered(answers, name)) return (answers[name] as Answer)(args, asked, call);
  return devices.call(session, name, args as DeviceArgs, call);
}

/** The syscalls that a connection may ask this room for. */
export function callable(
  answers: RoomAnswers,
  session: Session,
  capabilities: readonly string[],
): SyscallName[] {
  return syscallNames.filter((name) => {
    const here = table[name].routable || isAnswered(answers, name);
    return here && isAudience(name, session) && covers(capabilities, capabilityOf(name));
  });
}

/** An answer whose arguments were checked by its own schema. */
type Answer = (args: unknown, asked: Asked, call: IncomingCall) => Promise<Reply>;

function isAudience(name: SyscallName, session: Session): boolean {
  const { audience } = table[name];
  return (
    ['user', 'person', 'anyone', 'room'].includes(audience) ||
    (audience === 'kernel' && session.kind === 'kernel')
  );
}
