import type { ScheduleRow, ScheduleStateRow } from '../../state/schedules.ts';
import type { SystemTables } from '../../state/system.ts';
import type { Clock } from '../../std/clock.ts';
import { nextDue, nextWake, type Wake } from './due.ts';

type Known = {
  /** When it was computed. */
  atMs: number;
  row: ScheduleRow;
  state: ScheduleStateRow | undefined;
  wake: Wake | null;
  dueMs: number | null;
};

/** When each schedule fires next: computed once for each change of its rows, however often it is asked for. */
export class Wakes {
  readonly #tables: SystemTables;
  readonly #clock: Clock;
  readonly #known = new Map<string, Known>();

  constructor(tables: SystemTables, clock: Clock) {
    this.#tables = tables;
    this.#clock = clock;
  }

  /** Null when it fires no more, is off, or is gone. */
  wake(id: string): Wake | null {
    return this.#read(id)?.wake ?? null;
  }

  /** Its next fire by its own expression. */
  dueMs(id: string): number | null {
    return this.#read(id)?.dueMs ?? null;
  }

  #read(id: string): Known | undefined {
    const row = this.#tables.schedules.get(id);
    if (!row) {
      this.#known.delete(id);
      return undefined;
    }
    const state = this.#tables.scheduleStates.get(id);
    const known = this.#known.get(id);
    const atMs = this.#clock.now();
    // A clock that went back was wrong when that was computed.
    if (known?.row === row && known.state === state && known.atMs <= atMs) return known;
    const read = { row, state, atMs, ...this.#compute(row, state) };
    this.#known.set(id, read);
    return read;
  }

  /** A row of another version may hold what this one cannot read: it does not fire here. */
  #compute(row: ScheduleRow, state: ScheduleStateRow | undefined): Pick<Known, 'wake' | 'dueMs'> {
    try {
      const dueMs = nextDue(row, state, this.#clock.now());
      return { wake: nextWake(row, state, dueMs), dueMs };
    } catch {
      return { wake: null, dueMs: null };
    }
  }
}
