import { type Accessor, createEffect } from 'solid-js';
import { createStore, reconcile } from 'solid-js/store';
import type { ScheduleRecord } from '../../../shared/syscalls/sched.ts';
import type { Gsv } from '../../client/gsv.ts';
import type { Tone } from '../parts/small.tsx';
import { createRows } from './rows.ts';

export type LiveSchedule = ScheduleRecord;

/** The user's schedules: those that fire soonest first, then those that fire no more. */
export function createSchedules(gsv: Gsv): { list: LiveSchedule[]; ready: Accessor<boolean> } {
  const view = createRows<LiveSchedule>(gsv, () => ({ view: 'schedules' }));
  const [store, setStore] = createStore<{ list: LiveSchedule[] }>({ list: [] });
  createEffect(() => {
    setStore('list', reconcile(inOrder([...view.rows().values()]), { key: 'id' }));
  });
  return {
    get list() {
      return store.list;
    },
    ready: view.ready,
  };
}

export function inOrder(rows: readonly LiveSchedule[]): LiveSchedule[] {
  const next = ({ enabled, state }: LiveSchedule): number =>
    enabled ? (state.nextRunAtMs ?? Number.MAX_SAFE_INTEGER - 1) : Number.MAX_SAFE_INTEGER;
  return [...rows].sort((a, b) => next(a) - next(b) || a.name.localeCompare(b.name));
}

export function scheduleTone({ enabled, state }: LiveSchedule): Tone {
  if (state.runningAtMs !== null) return 'busy';
  if (!enabled) return 'off';
  if (state.lastStatus === 'error') return 'bad';
  return state.nextRunAtMs === null ? 'off' : 'good';
}

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' });
const STEPS: [unit: Intl.RelativeTimeFormatUnit, ms: number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

/** "in 3 hours", "in 2 days"; what is due within a minute is due now. */
export function fromNow(ms: number, now: number): string {
  const wait = ms - now;
  const [unit, size] = STEPS.find(([, step]) => wait >= step) ?? ['minute', 60_000];
  if (wait < 60_000) return wait <= 0 ? 'now' : 'in less than a minute';
  return relative.format(Math.round(wait / size), unit);
}

const moments = new Map<string, Intl.DateTimeFormat>();

/** "Mon, 23 Nov, 09:00" as a clock in this zone shows it; with the year when it is not this one. */
export function momentIn(ms: number, zone: string, now: number): string {
  const otherYear = new Date(ms).getUTCFullYear() !== new Date(now).getUTCFullYear();
  const key = `${zone} ${otherYear}`;
  const known = moments.get(key) ?? new Intl.DateTimeFormat('en-GB', styleOf(zone, otherYear));
  moments.set(key, known);
  return known.format(ms);
}

function styleOf(timeZone: string, otherYear: boolean): Intl.DateTimeFormatOptions {
  return {
    timeZone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    ...(otherYear ? { year: 'numeric' } : {}),
  };
}

/** What became of it last, in words; null before its first run. */
export function lastInWords({ state }: LiveSchedule): string | null {
  if (state.lastStatus === null) return null;
  return { ok: 'went well', error: 'failed', skipped: 'was skipped' }[state.lastStatus];
}
