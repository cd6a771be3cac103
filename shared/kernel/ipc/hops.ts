import { SyscallError } from '../../protocol/errors.ts';
import type { ProcessRow } from '../../state/system.ts';
import { causeId } from '../../std/cause-id.ts';
import type { Caller } from '../handler.ts';
import type { Processes } from '../proc/processes.ts';
import type { SpawnParts } from '../proc/spawn.ts';
import type { Notifications } from '../sys/notifications.ts';

/** Where a run stands in a chain of messages from process to process; nothing for the first. */
export const hopsIn = ({ hops = 0 }: { hops?: number | undefined }): { hops?: number } =>
  hops > 0 ? { hops } : {};

export type HopsParts = {
  processes: Processes;
  notifications: Pick<Notifications, 'notifyUser'>;
  limits: SpawnParts['limits'];
};

/** The run that makes a call. */
async function runOf({ processes }: Pick<HopsParts, 'processes'>, { origin }: Caller) {
  const row = origin.kind === 'process' ? processes.row(origin.pid) : undefined;
  if (!row || origin.kind !== 'process') return undefined;
  const { conversation } = await processes.open(row, origin.conversationId || row.conversationId);
  return conversation.shown().run.get();
}

/** How far the run that makes a call is from what a person, a schedule or a signal set off. */
export const hopsOf = async (parts: Pick<HopsParts, 'processes'>, caller: Caller): Promise<number> =>
  (await runOf(parts, caller))?.hops ?? 0;

/**
 * How far the next message is. Two processes that answer each other for ever would end with the money only: beyond the
 * limit the sender is refused, and their person is told, once for each run.
 */
export async function nextHop(
  parts: HopsParts,
  caller: Caller,
  { source, target }: { source: ProcessRow; target: ProcessRow },
): Promise<number> {
  const run = await runOf(parts, caller);
  const hops = (run?.hops ?? 0) + 1;
  const { hops: most } = parts.limits();
  if (most === 0 || hops <= most) return hops;
  parts.notifications.notifyUser(source.uid, {
    id: `hops:${causeId('hops', run?.runId ?? source.pid)}`,
    pid: source.pid,
    level: 'warning',
    title: `${called(source)} and ${called(target)} kept answering each other`,
    body: `They were stopped after ${most} messages that nobody had asked for. Write to one of them to go on.`,
  });
  throw new SyscallError(
    429,
    `Not sent: ${most} messages have gone from process to process since anybody asked for something. Say in your last answer how things stand; your person has been told.`,
  );
}

const called = ({ label, pid }: ProcessRow): string => `“${label ?? pid}”`;
