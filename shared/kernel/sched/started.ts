import type { ProcessRow } from '../../state/system.ts';
import { causeId } from '../../std/cause-id.ts';
import type { ScheduleRun } from '../../syscalls/sched.ts';
import type { RunEnding } from '../agent/run-ending.ts';
import type { Processes } from '../proc/processes.ts';
import type { Schedules } from './schedules.ts';
import type { Ticks } from './ticks.ts';

/** Of the processes that a schedule started so many stay; older ones are archived and end. */
const KEPT_PROCESSES = 5;
/** One that changed later than this after its run was used by somebody. */
const USED_MS = 60_000;

export type StartedParts = {
  schedules: Schedules;
  ticks: Ticks;
  processes: Pick<Processes, 'row'>;
  /** Archives a process and ends it, on the behalf of the schedule. */
  end(scheduleId: string, pid: string): Promise<void>;
};

/** The runs of processes that ticks set off: what becomes of them is told in the history of their schedule. */
export class Started {
  readonly #parts: StartedParts;

  constructor(parts: StartedParts) {
    this.#parts = parts;
  }

  /** A run has ended. What this queues is on disk with its end. */
  ended({ pid }: ProcessRow, { runId, status, text, error = '' }: RunEnding): void {
    for (const id of this.#parts.schedules.toldLast(pid, (messageId) => causeId('run', messageId) === runId))
      this.#parts.ticks.cameTo(id, pid, {
        failed: status === 'error',
        note: status === 'error' ? error : text,
      });
  }

  /** Ends what a schedule has started long ago and nobody has used since. */
  async tidy(scheduleId: string): Promise<void> {
    const runs = this.#parts.schedules.runsOf(scheduleId).filter(({ pid }) => pid !== null);
    for (const run of runs.slice(KEPT_PROCESSES)) {
      if (run.pid !== null && this.#isDone(run, run.pid))
        await this.#parts.end(scheduleId, run.pid).catch(() => {});
    }
  }

  #isDone({ startedAtMs, durationMs }: ScheduleRun, pid: string): boolean {
    const row = this.#parts.processes.row(pid);
    return row?.state === 'idle' && row.updatedAt <= startedAtMs + durationMs + USED_MS;
  }
}
