import { SyscallError } from '../../protocol/errors.ts';
import type { ScheduleRow } from '../../state/schedules.ts';
import type { SystemTables } from '../../state/system.ts';
import type { ScheduleTarget } from '../../syscalls/sched.ts';
import type { SyscallName } from '../../syscalls/table.ts';
import { parsePolicy } from '../agent/approval-policy.ts';
import { judge } from '../agent/judge.ts';
import { capabilitiesOf, identityOf } from '../auth/accounts.ts';
import type { Caller } from '../handler.ts';
import { NATIVE_TARGET } from '../routing.ts';
import type { Config } from '../sys/config.ts';

export type Author = ScheduleRow['author'];
export type PrincipalParts = { tables: SystemTables; config: Config };

/** Agents' schedules run with nobody to ask. */
const PROFILE = 'cron';

/** On whose behalf a schedule's calls are made: its owner's, as the accounts are now. Throws 404 when that one is gone. */
export function principal(
  { tables }: PrincipalParts,
  row: Pick<ScheduleRow, 'id' | 'ownerUid'>,
  author: Author,
): Caller {
  const user = tables.users.get(String(row.ownerUid));
  if (!user) throw new SyscallError(404, 'The account of this schedule is gone');
  const identity = identityOf(user);
  const own = `init:${identity.uid}`;
  // Of an agent that has ended its owner's lasting one is left.
  const pid = author.kind === 'agent' && isThere(tables, author.pid) ? author.pid : own;
  const origin: Caller['origin'] =
    author.kind === 'agent'
      ? { kind: 'process', pid, runId: '' }
      : { kind: 'connection', connectionId: `schedule ${row.id}` };
  return { identity, capabilities: capabilitiesOf(tables, identity), origin };
}

function isThere({ processes }: SystemTables, pid: string): boolean {
  return (processes.get(pid)?.state ?? 'killed') !== 'killed';
}

/** Who a caller is to a schedule that it writes. */
export function authorOf({ origin }: Caller): Author {
  return origin.kind === 'process' ? { kind: 'agent', pid: origin.pid } : { kind: 'person' };
}

/**
 * Throws 403 when the approval policy does not let an agent's schedule make this call without asking: an agent gets by a
 * schedule nothing that it would not get by itself.
 */
export async function demandAllowed(
  { tables, config }: PrincipalParts,
  caller: Caller,
  syscall: SyscallName,
  target: ScheduleTarget,
): Promise<void> {
  const { identity, origin } = caller;
  if (origin.kind !== 'process') return;
  const judgement = await judge(
    {
      identity,
      pid: origin.pid,
      profile: PROFILE,
      interactive: false,
      policy: () => parsePolicy(config.resolve(identity.uid, 'ai/tools/approval')),
      approvals: () => tables.approvals.rows(),
    },
    { syscall, target: targetOf(target), args: { ...target } },
  );
  if (judgement.kind === 'auto') return;
  throw new SyscallError(
    403,
    'This needs approval each time, and a schedule has nobody to ask. A person may make it, or allow it in the settings.',
  );
}

function targetOf(target: ScheduleTarget): string {
  return target.kind === 'shell.exec' ? (target.target ?? NATIVE_TARGET) : NATIVE_TARGET;
}
