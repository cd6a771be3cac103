import type { ScheduleRow, ScheduleStateRow } from '../../state/schedules.ts';
import type { ScheduleRecord } from '../../syscalls/sched.ts';

/** A schedule as its owner sees it. `nextRunAtMs` is computed, never stored. */
export function recordOf(
  row: ScheduleRow,
  state: ScheduleStateRow | undefined,
  nextRunAtMs: number | null,
): ScheduleRecord {
  const { armedAtMs: _, description, ...kept } = row;
  return {
    ...kept,
    ...(description === null ? {} : { description }),
    overlapPolicy: 'skip',
    state: {
      nextRunAtMs,
      runningAtMs: state?.running?.atMs ?? null,
      lastRunAtMs: state?.lastRunAtMs ?? null,
      lastStatus: state?.lastStatus ?? null,
      lastError: state?.lastError ?? null,
      lastDurationMs: state?.lastDurationMs ?? null,
      runCount: state?.runCount ?? 0,
      missed: state?.missed ?? null,
      retryAtMs: state?.retry?.atMs ?? null,
    },
  };
}
