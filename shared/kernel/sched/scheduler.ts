import type { ScheduleRow } from '../../state/schedules.ts';
import type { SystemTables } from '../../state/system.ts';
import type { Clock } from '../../std/clock.ts';
import type { ScheduleRun } from '../../syscalls/sched.ts';
import type { Seat } from '../proc/seat.ts';
import { emptyState } from './due.ts';
import { firesOnce } from './expression.ts';
import type { Cause, Ticks } from './ticks.ts';
import type { Wakes } from './wakes.ts';

/** A timer does not count while a machine sleeps, and a browser's ends at 24.8 days: a long wait is made of these. */
const STEP_MS = 60_000;
/** Another replica has the seat, or the disk refuses: it is looked again after this. */
const RETRY_MS = 15_000;
const MOST_AT_ONCE = 16;
/** Schedules whose next fire is computed in one go at the start: some milliseconds. */
const AT_ONCE = 25;
/** A schedule that fired for its only time is kept so long. */
const DONE_KEPT_MS = 7 * 86_400_000;
/** A run that a person asked for elsewhere is not taken for one that was cut off before this. */
const PERSONS_RUN_MS = 10 * 60_000;

export type SchedulerParts = {
  tables: SystemTables;
  wakes: Wakes;
  ticks: Ticks;
  seat: Pick<Seat, 'during'>;
  clock: Clock;
  /** This replica's id. */
  self: string;
  /** Whether this replica may act; one that was shut out may not. */
  mayRun(): boolean;
  remove(id: string): void;
  /** Says the error of a tick that could not even be noted. */
  report(error: unknown): void;
};

/**
 * Fires schedules: one timer for the soonest of all, set anew with every change of their rows. What is due is done by
 * the replica that has the seat; the others look again in a moment, and see it done.
 */
export class Scheduler {
  readonly #parts: SchedulerParts;
  readonly #endings: (() => void)[] = [];
  #cancel: (() => void) | null = null;
  #stale = false;
  #stopped = false;
  #notBefore = 0;
  /** When something is due next, as it was at the last look, and when that was. */
  #soonest = 0;
  #lookedAt = 0;

  constructor(parts: SchedulerParts) {
    this.#parts = parts;
  }

  /** From now on schedules fire; what was cut off or missed is seen to first. */
  start(): void {
    const { tables } = this.#parts;
    this.#endings.push(
      tables.schedules.observe(() => this.#changed()),
      tables.scheduleStates.observe(() => this.#changed()),
    );
    this.#begin(tables.schedules.keys());
  }

  /** Behind the boot, and a few at a time: computing what a thousand schedules wait for takes a while. */
  #begin(ids: readonly string[]): void {
    this.#cancel = this.#parts.clock.after(0, () => {
      for (const id of ids.slice(0, AT_ONCE)) this.#parts.wakes.wake(id);
      if (ids.length > AT_ONCE) this.#begin(ids.slice(AT_ONCE));
      else this.look();
    });
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
    for (const end of this.#endings) end();
  }

  /** Looks now: the machine woke, or the room can be asked again. */
  wake(): void {
    this.#notBefore = 0;
    if (this.#cancel) this.look();
  }

  /** Begins everything that is due, and sets the timer for what is next. */
  look(): void {
    if (this.#stopped) return;
    for (const row of this.#due()) {
      if (this.#parts.ticks.going >= MOST_AT_ONCE) break;
      void this.runDue(row);
    }
    this.#arm();
  }

  /** Does what is due of one schedule. Undefined when nothing was done. Never rejects. */
  async runDue(row: ScheduleRow): Promise<ScheduleRun | undefined> {
    const { seat } = this.#parts;
    let run: ScheduleRun | undefined;
    try {
      const seated = await seat.during(async () => {
        run = await this.#tick(row.id);
      });
      // What could not be begun is not tried again at once.
      if (!seated || (run === undefined && this.#isDue(row.id))) this.#later();
    } catch (error) {
      this.#parts.report(error);
      this.#later();
    }
    this.#changed();
    return run;
  }

  #isDue(id: string): boolean {
    const row = this.#parts.tables.schedules.get(id);
    return row !== undefined && this.#hasToAct(row, this.#parts.clock.now());
  }

  #hasToAct(row: ScheduleRow, now: number): boolean {
    return !this.#parts.ticks.isGoing(row.id) && this.#atMs(row) <= now;
  }

  /** Schedules with something to do now. */
  #due(): ScheduleRow[] {
    const { tables, clock, mayRun } = this.#parts;
    const now = clock.now();
    if (!mayRun() || now < this.#notBefore) return [];
    return tables.schedules.rows().filter((row) => this.#hasToAct(row, now));
  }

  /** When a schedule has something to do; never is infinitely late. */
  #atMs(row: ScheduleRow): number {
    const running = this.#parts.tables.scheduleStates.get(row.id)?.running;
    if (running && !this.#parts.ticks.isGoing(row.id)) {
      const elsewhere = running.cause === 'person' && running.by !== this.#parts.self;
      return elsewhere ? running.atMs + PERSONS_RUN_MS : 0;
    }
    return this.#parts.wakes.wake(row.id)?.atMs ?? this.#removedAt(row);
  }

  /** Under the seat: looks again, for its last holder may have done it. */
  async #tick(id: string): Promise<ScheduleRun | undefined> {
    const { tables, wakes, ticks, remove } = this.#parts;
    const row = tables.schedules.get(id);
    if (!row || !this.#isDue(id)) return undefined;
    const state = tables.scheduleStates.get(id) ?? emptyState(id);
    if (state.running) return ticks.settle(row, state);
    const wake = wakes.wake(id);
    if (!wake) {
      remove(id);
      return undefined;
    }
    const { dueMs, attempt, cause }: Cause = wake;
    return ticks.run(row, { dueMs, attempt, cause });
  }

  #removedAt({ id, expression, enabled }: ScheduleRow): number {
    const last = this.#parts.tables.scheduleStates.get(id)?.lastRunAtMs ?? null;
    return enabled && firesOnce(expression) && last !== null ? last + DONE_KEPT_MS : Number.POSITIVE_INFINITY;
  }

  #later(): void {
    this.#notBefore = this.#parts.clock.now() + RETRY_MS;
  }

  /** Rows changed; a burst of changes sets the timer once. */
  #changed(): void {
    if (this.#stale || this.#stopped) return;
    this.#stale = true;
    void Promise.resolve().then(() => {
      this.#stale = false;
      this.look();
    });
  }

  /** Between two steps of a long wait nothing has changed, unless the clock has been put back. */
  #onTimer(): void {
    const now = this.#parts.clock.now();
    const changed = now >= this.#soonest || now < this.#lookedAt;
    this.#lookedAt = now;
    if (changed) this.look();
    else this.#wait();
  }

  #arm(): void {
    const { tables, ticks, clock } = this.#parts;
    this.#cancel?.();
    this.#cancel = null;
    const times = tables.schedules.rows().flatMap((row) => (ticks.isGoing(row.id) ? [] : [this.#atMs(row)]));
    const soonest = times.reduce((least, at) => Math.min(least, at), Number.POSITIVE_INFINITY);
    this.#soonest = Math.max(soonest, this.#notBefore);
    this.#lookedAt = clock.now();
    if (ticks.going < MOST_AT_ONCE) this.#wait();
  }

  #wait(): void {
    const { clock, mayRun } = this.#parts;
    if (this.#stopped || this.#soonest === Number.POSITIVE_INFINITY) return;
    const left = mayRun() ? this.#soonest - clock.now() : STEP_MS;
    this.#cancel = clock.after(Math.min(Math.max(left, 0), STEP_MS), () => this.#onTimer());
  }
}
