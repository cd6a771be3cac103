import { expressionProblem, nextFires } from '../../../shared/kernel/sched/expression.ts';
import { atWallClock, wallClock } from '../../../shared/kernel/sched/wall-clock.ts';
import { spanInWords } from '../../../shared/kernel/sched/words.ts';
import type { ScheduleExpression, ScheduleTarget } from '../../../shared/syscalls/sched.ts';
import type { Args } from '../../../shared/syscalls/table.ts';
import { careNames, fieldsOf, missingText, newTarget, type TargetForm, targetOf } from './schedule-target.ts';
import type { LiveSchedule } from './schedules.ts';

export type When = 'once' | 'every' | 'days' | 'cron';
export type Unit = 'minutes' | 'hours' | 'days';

/** A schedule as the editor holds it: every choice keeps what was typed, also while another is chosen. */
export type ScheduleForm = TargetForm & {
  name: string;
  when: When;
  /** `YYYY-MM-DDTHH:MM` in the zone. */
  once: string;
  count: string;
  unit: Unit;
  /** 0 is Sunday. */
  days: readonly number[];
  /** `HH:MM`. */
  time: string;
  cron: string;
  zone: string;
  missed: 'run-once' | 'skip';
  /** How often it is tried again after a failure. */
  tries: number;
  /** How long after the first failure; each wait is twice the last. */
  waitMs: number;
};

/** What is wrong, and with which field. */
export type Problem = { field: 'text' | 'when'; words: string };

const UNIT_MS: Record<Unit, number> = { minutes: 60_000, hours: 3_600_000, days: 86_400_000 };
const HOUR = 3_600_000;
const NAME_CHARACTERS = 60;
/** As the kernel bounds a wait. */
const MOST_WAIT_MS = 24 * HOUR;
const SHOWN_WAITS = 4;
export const WEEKDAYS = [1, 2, 3, 4, 5];
export const ALL_DAYS = [0, 1, 2, 3, 4, 5, 6];

export function newForm(now: number, zone: string, pid: string): ScheduleForm {
  return {
    ...newTarget(pid),
    name: '',
    when: 'days',
    once: wallClock(Math.ceil((now + HOUR) / HOUR) * HOUR, zone),
    count: '30',
    unit: 'minutes',
    days: WEEKDAYS,
    time: '09:00',
    cron: '0 9 * * 1-5',
    zone,
    missed: 'run-once',
    tries: 0,
    waitMs: 60_000,
  };
}

/** The form of a schedule that there is. */
export function formOf(schedule: LiveSchedule, now: number, zone: string, home: string): ScheduleForm {
  const { name, expression, target, misfirePolicy: missed, retry } = schedule;
  const cronZone = expression.kind === 'cron' ? expression.timezone : zone;
  const again = retry.limit === 0 ? {} : { waitMs: retry.backoffMs };
  const empty = newForm(now, cronZone, home);
  const what = { name, missed, tries: retry.limit, ...again, ...fieldsOf(target) };
  return { ...empty, ...what, ...whenOf(schedule, cronZone) };
}

function whenOf({ expression, state, createdAtMs }: LiveSchedule, zone: string): Partial<ScheduleForm> {
  switch (expression.kind) {
    case 'at':
      return { when: 'once', once: wallClock(expression.atMs, zone) };
    case 'after':
      return { when: 'once', once: wallClock(state.nextRunAtMs ?? createdAtMs + expression.afterMs, zone) };
    case 'every':
      return { when: 'every', ...countOf(expression.everyMs) };
    case 'cron':
      return { cron: expression.expr, ...daysOf(expression.expr) };
  }
}

function countOf(ms: number): Pick<ScheduleForm, 'count' | 'unit'> {
  const units: Unit[] = ['days', 'hours', 'minutes'];
  const unit = units.find((name) => ms % UNIT_MS[name] === 0) ?? 'minutes';
  return { unit, count: String(ms / UNIT_MS[unit]) };
}

/** As days and a time where that says all of it. */
function daysOf(expr: string): Pick<ScheduleForm, 'when'> & Partial<ScheduleForm> {
  const found = /^(\d{1,2}) (\d{1,2}) \* \* (\*|1-5|[0-7](?:,[0-7])*)$/.exec(expr);
  if (!found) return { when: 'cron' };
  const [, minute = '', hour = '', weekdays = ''] = found;
  const listed = weekdays.split(',').map((day) => Number(day) % 7);
  const days = weekdays === '*' ? ALL_DAYS : weekdays === '1-5' ? WEEKDAYS : listed;
  return { when: 'days', days, time: `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}` };
}

/** When it fires, or what is wrong with it. */
export function expressionOf(form: ScheduleForm, now: number): ScheduleExpression | Problem {
  const expression = written(form);
  if (typeof expression === 'string') return { field: 'when', words: expression };
  const problem = expressionProblem(expression, now);
  return problem === null ? expression : { field: 'when', words: problem };
}

function written({
  when,
  once,
  count,
  unit,
  days,
  time,
  cron,
  zone,
}: ScheduleForm): ScheduleExpression | string {
  if (when === 'cron') return { kind: 'cron', expr: cron, timezone: zone };
  if (when === 'once') {
    const atMs = atWallClock(once, zone);
    return atMs === null ? 'Choose a day and a time' : { kind: 'at', atMs };
  }
  if (when === 'every') {
    const number = Number(count);
    if (!/^\d{1,5}$/.test(count.trim()) || number < 1) return `How many ${unit}? Write a whole number`;
    return { kind: 'every', everyMs: number * UNIT_MS[unit] };
  }
  const [hour = '', minute = ''] = time.split(':');
  if (!/^\d\d:\d\d$/.test(time)) return 'Choose a time';
  if (days.length === 0) return 'Choose at least one day';
  return { kind: 'cron', expr: `${Number(minute)} ${Number(hour)} * * ${dayField(days)}`, timezone: zone };
}

function dayField(days: readonly number[]): string {
  const sorted = [...days].sort((a, b) => a - b).join(',');
  if (sorted === ALL_DAYS.join(',')) return '*';
  return sorted === WEEKDAYS.join(',') ? '1-5' : sorted;
}

/** The next fires, soonest first; none where something is wrong. */
export function firesOf(form: ScheduleForm, now: number, count: number): number[] {
  const expression = expressionOf(form, now);
  return 'field' in expression ? [] : nextFires(expression, now, now, count);
}

/** A schedule that is being changed: what it does now, and the form as it was opened. */
export type Before = { target: ScheduleTarget; form: ScheduleForm };
type Settings = Omit<Args<'sched.add'>, 'expression'> & { expression?: ScheduleExpression };

/** What is to be made or changed, or what is wrong. What the form does not show stays, and so does a time left alone. */
export function settingsOf(form: ScheduleForm, now: number, before?: Before): Settings | Problem {
  const missing = missingText(form);
  if (missing !== null) return { field: 'text', words: missing };
  const kept = before !== undefined && whenPart(form) === whenPart(before.form);
  const expression = kept ? undefined : expressionOf(form, now);
  if (expression && 'field' in expression) return expression;
  return {
    name: form.name.trim() || ownName(form),
    target: targetOf(form, before?.target),
    misfirePolicy: form.missed,
    retry: { limit: form.tries, backoffMs: form.waitMs },
    ...(expression ? { expression } : {}),
  };
}

/** Its first words are its name. */
function ownName({ does, care, text }: ScheduleForm): string {
  const words = does === 'care' ? careNames[care] : text.trim();
  return (words.split('\n')[0] ?? '').slice(0, NAME_CHARACTERS);
}

function whenPart({ when, once, count, unit, days, time, cron, zone }: ScheduleForm): string {
  return JSON.stringify({ when, once, count, unit, days, time, cron, zone });
}

/** How it is tried again, in words: "after 1 minute, then after 2 minutes". Empty when it is not. */
export function retriesInWords({ tries, waitMs }: Pick<ScheduleForm, 'tries' | 'waitMs'>): string {
  const waits = Array.from({ length: tries }, (_, at) =>
    spanInWords(Math.min(waitMs * 2 ** at, MOST_WAIT_MS)),
  );
  const shown = waits.slice(0, SHOWN_WAITS).map((wait) => `after ${wait}`);
  return shown.join(', then ') + (waits.length > SHOWN_WAITS ? ', and so on' : '');
}
