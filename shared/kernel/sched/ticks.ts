import type { ScheduleRow, ScheduleRunRow, ScheduleStateRow } from '../../state/schedules.ts';
import type { SystemTables } from '../../state/system.ts';
import { causeId } from '../../std/cause-id.ts';
import type { Clock } from '../../std/clock.ts';
import { RUN_SCHEDULE, SHOW_SCHEDULE } from '../../syscalls/notice-kinds.ts';
import type { ScheduleRun } from '../../syscalls/sched.ts';
import type { Notifications } from '../sys/notifications.ts';
import type { Outcome, Tick } from './carry-out.ts';
import { emptyState, LATE_MS, trustedSettled } from './due.ts';
import { isRepeatable } from './target-call.ts';

/** Runs of each schedule that are remembered. */
export const KEPT_RUNS = 50;
const NOTE_CHARACTERS = 2_000;
/** The longest wait between two tries. */
const MOST_BACKOFF_MS = 86_400_000;

/** What a tick is of: a fire, and the how-manieth try. `author`: on whose behalf, if not the schedule's own author's. */
export type Cause = {
  dueMs: number;
  attempt: number;
  cause: ScheduleRun['cause'];
  author?: Tick['author'];
};

export type TicksParts = {
  tables: SystemTables;
  notifications: Pick<Notifications, 'notifyUser'>;
  clock: Clock;
  /** This replica's id. */
  self: string;
  flush(): Promise<void>;
  carryOut(tick: Tick): Promise<Outcome>;
  /** Whether what the last tick began still goes on. */
  goesOn(state: ScheduleStateRow, row: ScheduleRow): Promise<boolean>;
  /** Resolves to whether a mark that was just written is known wherever the tick could be begun again. */
  told(): Promise<boolean>;
};

/**
 * Carries out ticks and keeps their account. A tick is marked as running before anything is done, and the mark goes with
 * the write that says what became of it; one that a kill cut off is done again only where that cannot do it twice.
 */
export class Ticks {
  readonly #parts: TicksParts;
  readonly #going = new Set<string>();

  constructor(parts: TicksParts) {
    this.#parts = parts;
  }

  /** Whether this replica is carrying out a tick of this schedule. */
  isGoing(id: string): boolean {
    return this.#going.has(id);
  }

  get going(): number {
    return this.#going.size;
  }

  /** Undefined when it could not be begun, or goes on already; nothing was done then. Rejects when the disk refuses. */
  async run(row: ScheduleRow, cause: Cause): Promise<ScheduleRun | undefined> {
    if (this.#going.has(row.id)) return undefined;
    this.#going.add(row.id);
    try {
      return await this.#run(row, cause);
    } finally {
      this.#going.delete(row.id);
    }
  }

  /** Settles a tick that a kill cut off, here or where nobody is any more. */
  async settle(row: ScheduleRow, state: ScheduleStateRow): Promise<ScheduleRun | undefined> {
    const { running } = state;
    if (!running || this.#going.has(row.id)) return undefined;
    if (isRepeatable(row.target) && running.cause !== 'person') return this.run(row, running);
    const note = 'Interrupted: GSV was closed while it ran, and how far it came is not known';
    return this.#finish(row, running, running.atMs, { status: 'error', note, final: true });
  }

  async #run(row: ScheduleRow, cause: Cause): Promise<ScheduleRun | undefined> {
    const { clock, carryOut } = this.#parts;
    const startedAt = clock.now();
    const late = cause.cause === 'due' && startedAt - cause.dueMs > LATE_MS;
    const known: Cause = late ? { ...cause, cause: 'late' } : cause;
    const skipped = await this.#whySkipped(row, known);
    if (skipped !== null) return this.#finish(row, known, startedAt, { status: 'skipped', note: skipped });
    if (!(await this.#begin(row, known, startedAt))) return undefined;
    const id = causeId('tick', `${row.id}/${known.dueMs}`);
    const author = known.author ?? row.author;
    const outcome = await carryOut({ id, row, author, dueMs: known.dueMs });
    return this.#finish(row, known, startedAt, outcome);
  }

  async #whySkipped(row: ScheduleRow, { cause, attempt }: Cause): Promise<string | null> {
    const state = this.#state(row.id);
    if (cause === 'late' && row.misfirePolicy === 'skip') return 'Missed: GSV was not open';
    const again = state.running !== null || attempt > 0 || cause === 'person';
    return !again && (await this.#parts.goesOn(state, row)) ? 'The run before was still going on' : null;
  }

  /** False, with nothing marked, when others could not be told of a tick that must not be begun twice. */
  async #begin(row: ScheduleRow, { dueMs, attempt, cause }: Cause, atMs: number): Promise<boolean> {
    const { tables, self, flush, told } = this.#parts;
    const before = this.#state(row.id);
    const running = { dueMs, atMs, by: self, attempt, cause };
    tables.scheduleStates.put(row.id, { ...before, running });
    await flush();
    if (cause === 'person' || isRepeatable(row.target) || (await told())) return true;
    tables.scheduleStates.put(row.id, { ...before, running: null });
    return false;
  }

  async #finish(
    row: ScheduleRow,
    cause: Cause,
    startedAtMs: number,
    outcome: Outcome,
  ): Promise<ScheduleRun | undefined> {
    const { tables, clock, flush } = this.#parts;
    // Removed while it ran.
    if (!tables.schedules.get(row.id)) return undefined;
    const before = this.#state(row.id);
    const durationMs = Math.max(0, clock.now() - startedAtMs);
    const { status, note, pid = null } = outcome;
    const { dueMs, cause: why } = cause;
    const run = { n: before.runCount + 1, dueMs, startedAtMs, durationMs, status, cause: why, note, pid };
    const retry = this.#retry(row, cause, outcome);
    tables.scheduleStates.put(row.id, {
      ...before,
      ...this.#settled(row, cause, before, startedAtMs),
      running: null,
      retry,
      lastRunAtMs: startedAtMs,
      lastStatus: status,
      lastError: status === 'error' ? note : null,
      lastDurationMs: durationMs,
      failingSinceMs: failing(before, run, retry),
      runCount: run.n,
      ...(pid === null ? {} : { lastPid: pid, lastMessageId: outcome.messageId ?? null }),
    });
    this.note({ scheduleId: row.id, ...run });
    if (status === 'error' && !retry && why !== 'person')
      this.#tell(row, before, cause, outcome.reason ?? note);
    await flush();
    return run;
  }

  /** What the run of a process came to that the last tick of a schedule set off. Queued to disk. */
  cameTo(scheduleId: string, pid: string, { failed, note }: { failed: boolean; note: string }): void {
    const { tables, clock } = this.#parts;
    const row = tables.schedules.get(scheduleId);
    const state = tables.scheduleStates.get(scheduleId);
    const run = tables.scheduleRuns.get(`${scheduleId}/${(state?.runCount ?? 0) % KEPT_RUNS}`);
    if (!row || !state || run?.pid !== pid) return;
    const status = failed ? 'error' : 'ok';
    const durationMs = Math.max(0, clock.now() - run.startedAtMs);
    this.note({ ...run, status, note: note.slice(0, NOTE_CHARACTERS), durationMs });
    if (!failed) return;
    const failingSinceMs = state.failingSinceMs ?? run.startedAtMs;
    tables.scheduleStates.put(scheduleId, { ...state, lastStatus: status, lastError: note, failingSinceMs });
    if (run.cause !== 'person') this.#tell(row, state, run, note);
  }

  /** Writes one run of the history. */
  note(run: ScheduleRunRow): void {
    this.#parts.tables.scheduleRuns.put(`${run.scheduleId}/${run.n % KEPT_RUNS}`, run);
  }

  /** A person's run leaves the schedule's own fires as they are. What came while it ran is settled with it. */
  #settled(
    row: ScheduleRow,
    { cause, dueMs }: Cause,
    { settledMs, missed }: ScheduleStateRow,
    startedAtMs: number,
  ): Partial<ScheduleStateRow> {
    if (cause === 'person') return {};
    const now = this.#parts.clock.now();
    const late = cause === 'late';
    const { misfirePolicy: policy } = row;
    return {
      settledMs: Math.max(trustedSettled(settledMs, now), dueMs, now),
      dueMs,
      missed: late ? { fromMs: dueMs, noticedAtMs: startedAtMs, policy } : cause === 'due' ? null : missed,
    };
  }

  #retry(
    { retry }: ScheduleRow,
    { cause, attempt, dueMs }: Cause,
    outcome: Outcome,
  ): ScheduleStateRow['retry'] {
    if (outcome.status !== 'error' || outcome.final || cause === 'person' || attempt >= retry.limit)
      return null;
    const wait = Math.min(retry.backoffMs * 2 ** attempt, MOST_BACKOFF_MS);
    return { dueMs, attempt: attempt + 1, atMs: this.#parts.clock.now() + wait };
  }

  /** A schedule that fails and fails is told of once, until it has succeeded. */
  #tell(row: ScheduleRow, before: ScheduleStateRow, { dueMs }: Pick<Cause, 'dueMs'>, reason: string): void {
    if (before.failingSinceMs !== null) return;
    this.#parts.notifications.notifyUser(row.ownerUid, {
      id: causeId('notice', `schedule/${row.id}/${dueMs}`),
      title: `The schedule “${row.name}” failed`,
      body: reason,
      level: 'error',
      actions: [
        { kind: SHOW_SCHEDULE, label: 'Show the schedule', target: row.id },
        { kind: RUN_SCHEDULE, label: 'Run again', target: row.id },
      ],
    });
  }

  #state(id: string): ScheduleStateRow {
    return this.#parts.tables.scheduleStates.get(id) ?? emptyState(id);
  }
}

/** Since when it has failed, every try of it; null after a success, and while a try is left. */
function failing(
  { failingSinceMs }: ScheduleStateRow,
  { status, startedAtMs }: ScheduleRun,
  retry: ScheduleStateRow['retry'],
): number | null {
  if (status === 'ok') return null;
  return status === 'error' && retry === null ? (failingSinceMs ?? startedAtMs) : failingSinceMs;
}
