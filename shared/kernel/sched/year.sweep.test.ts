import { expect, test } from 'vitest';
import { emptySystem } from '../../../tests/support/system-doc.ts';
import type { ScheduleRow } from '../../state/schedules.ts';
import { systemTables } from '../../state/system.ts';
import type { Clock } from '../../std/clock.ts';
import type { ScheduleExpression } from '../../syscalls/sched.ts';
import { nextFires } from './expression.ts';
import { Scheduler } from './scheduler.ts';
import { Ticks } from './ticks.ts';
import { Wakes } from './wakes.ts';

const YEAR = 365 * 86_400_000;
const BEGIN = Date.UTC(2026, 0, 1, 8);

/** A clock that goes to the next timer as soon as what the last one began is done; one timer too many shows. */
class FastClock implements Clock {
  #now = BEGIN;
  readonly #timers = new Map<number, { at: number; run: () => void }>();
  #count = 0;
  most = 0;

  now(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): () => void {
    const id = this.#count++;
    this.#timers.set(id, { at: this.#now + ms, run });
    this.most = Math.max(this.most, this.#timers.size);
    return () => this.#timers.delete(id);
  }

  async goTo(end: number): Promise<void> {
    for (;;) {
      const [next] = [...this.#timers].filter(([, { at }]) => at <= end).sort(([, a], [, b]) => a.at - b.at);
      if (!next) return;
      this.#timers.delete(next[0]);
      this.#now = Math.max(this.#now, next[1].at);
      next[1].run();
      // All of it is promises: none waits for anything outside.
      for (let turn = 0; turn < 30; turn += 1) await null;
    }
  }
}

const schedule = (id: string, expression: ScheduleExpression): ScheduleRow => ({
  id,
  ownerUid: 1000,
  name: id,
  description: null,
  enabled: true,
  expression,
  armedAtMs: BEGIN,
  target: { kind: 'shell.exec', input: id },
  misfirePolicy: 'run-once',
  retry: { limit: 0, backoffMs: 1000 },
  author: { kind: 'person' },
  createdAtMs: BEGIN,
  updatedAtMs: BEGIN,
});

test('[P262] a year of ticks: each fire of each schedule once, in order, with one timer', {
  timeout: 60_000,
}, async () => {
  const clock = new FastClock();
  const tables = systemTables(emptySystem());
  const cron = (expr: string, timezone: string): ScheduleExpression => ({ kind: 'cron', expr, timezone });
  const rows = [
    schedule('workdays', cron('0 9 * * 1-5', 'Europe/Berlin')),
    schedule('night', cron('30 2 * * *', 'America/New_York')),
    schedule('yearly', cron('0 0 1 1 *', 'Pacific/Auckland')),
    schedule('hours', { kind: 'every', everyMs: 7 * 3_600_000, anchorMs: BEGIN }),
    schedule('once', { kind: 'after', afterMs: YEAR / 2 }),
  ];
  for (const row of rows) tables.schedules.put(row.id, row);
  const fired = new Map<string, number[]>(rows.map(({ id }) => [id, []]));
  const wakes = new Wakes(tables, clock);
  const ticks = new Ticks({
    tables,
    notifications: { notifyUser: () => {} },
    clock,
    self: 'a',
    flush: async () => {},
    carryOut: async ({ row, dueMs }) => {
      fired.get(row.id)?.push(dueMs);
      return { status: 'ok', note: '' };
    },
    goesOn: async () => false,
    told: async () => true,
  });
  const scheduler = new Scheduler({
    tables,
    wakes,
    ticks,
    seat: {
      during: async (work: () => Promise<void>) => {
        await work();
        return true;
      },
    },
    clock,
    self: 'a',
    mayRun: () => true,
    remove: (id) => tables.schedules.delete(id),
    report: (error) => expect(error).toBeNull(),
  });
  scheduler.start();
  await clock.goTo(BEGIN + YEAR);
  for (const { id, expression, armedAtMs } of rows) {
    const all = nextFires(expression, armedAtMs, BEGIN, 2_000).filter((ms) => ms <= BEGIN + YEAR);
    expect([id, fired.get(id)]).toEqual([id, all]);
  }
  expect(fired.get('workdays')?.length).toBe(261);
  expect(clock.most).toBeLessThanOrEqual(2);
});
