import { isBusy } from '../../state/active.ts';
import type { ScheduleRow, ScheduleStateRow } from '../../state/schedules.ts';
import type { Processes } from '../proc/processes.ts';

/** Whether the run that the last tick of a schedule set off has not ended: it waits, or goes on, here or elsewhere. */
export async function goesOn(
  processes: Processes,
  { lastPid, lastMessageId }: ScheduleStateRow,
  { target }: ScheduleRow,
): Promise<boolean> {
  const row = lastPid === null ? undefined : processes.row(lastPid);
  if (!row) return false;
  if (target.kind === 'process.spawn') return isBusy(row);
  if (target.kind !== 'process.event' || lastMessageId === null) return false;
  const { conversation } = await processes.open(row, target.conversationId);
  const told = conversation.delivered.get(lastMessageId);
  if (!told) return false;
  return !told.begun || conversation.shown().run.get()?.runId === told.runId;
}
