import type { ScheduleRow, ScheduleStateRow } from '../../state/schedules.ts';
import { nextFire } from './expression.ts';

/** A fire that is later than this was missed: nobody was there. */
export const LATE_MS = 60_000;
/** A clock that went back further than this was wrong before: what it settled is settled no more. */
const CLOCK_WENT_BACK_MS = 3_600_000;

/** What a schedule has to do next, and when. */
export type Wake = { atMs: number; dueMs: number; attempt: number; cause: 'due' | 'retry' };

export function emptyState(scheduleId: string): ScheduleStateRow {
  return {
    scheduleId,
    settledMs: 0,
    dueMs: null,
    running: null,
    retry: null,
    missed: null,
    lastRunAtMs: null,
    lastStatus: null,
    lastError: null,
    lastDurationMs: null,
    failingSinceMs: null,
    runCount: 0,
    lastPid: null,
    lastMessageId: null,
  };
}

/**
 * The next fire by the schedule's own expression: the first that nobody has settled, which may be long past. It follows
 * from replicated rows alone, so that every replica names the same. Null when there is none, or it is off.
 */
export function nextDue(row: ScheduleRow, state: ScheduleStateRow | undefined, now: number): number | null {
  if (!row.enabled) return null;
  const settled = trustedSettled(state?.settledMs ?? 0, now);
  return nextFire(row.expression, row.armedAtMs, Math.max(settled, row.armedAtMs));
}

/** Until when fires are settled, for a clock that may have been wrong when that was written. */
export function trustedSettled(settledMs: number, now: number): number {
  return settledMs > now + CLOCK_WENT_BACK_MS ? 0 : settledMs;
}

/** The next thing to do, given the next fire: that, or an earlier one that failed and is tried again before it. */
export function nextWake(
  { enabled }: ScheduleRow,
  state: ScheduleStateRow | undefined,
  dueMs: number | null,
): Wake | null {
  const retry = enabled ? state?.retry : null;
  if (retry && (dueMs === null || retry.atMs < dueMs))
    return { atMs: retry.atMs, dueMs: retry.dueMs, attempt: retry.attempt, cause: 'retry' };
  return dueMs === null ? null : { atMs: dueMs, dueMs, attempt: 0, cause: 'due' };
}
