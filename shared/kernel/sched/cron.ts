import { Cron } from 'croner';
import { messageOf } from '../../protocol/errors.ts';

const NICKNAMES: Record<string, string> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

/** Five fields with single spaces; `@daily` and its like as what they stand for. */
export function normalCron(expr: string): string {
  const text = expr.trim().split(/\s+/).join(' ');
  return NICKNAMES[text.toLowerCase()] ?? text;
}

/** What is wrong with an expression, in words; null when it fires some day after `now`. */
export function cronProblem(expr: string, timezone: string, now: number): string | null {
  if (!isTimeZone(timezone)) return `There is no time zone ${timezone}`;
  const fields = normalCron(expr).split(' ').length;
  if (fields !== 5)
    return `A cron expression has five fields (minute hour day month weekday), this has ${fields}`;
  try {
    return nextCron(expr, timezone, now) === null ? 'There is no such day: this never fires' : null;
  } catch (error) {
    return messageOf(error).replace(/^CronPattern: (Syntax error, )?/, '');
  }
}

/**
 * The first minute after `after` whose wall clock in the zone fits. A fixed time that a change of the clocks leaves out
 * fires when they change, one that comes twice fires the first time; a repeating one (`*`, `/`) goes by what the clock
 * shows. Null when there is none for 400 years. Throws on an expression that `cronProblem` refuses.
 */
export function nextCron(expr: string, timezone: string, after: number): number | null {
  // It is made anew each time: one holds 80 KB.
  const cron = new Cron(normalCron(expr), {
    timezone,
    paused: true,
    mode: '5-part',
    fixedTimeRule: 'no-wildcard',
  });
  return cron.nextRun(new Date(after))?.getTime() ?? null;
}

export function isTimeZone(name: string): boolean {
  try {
    // An offset like +02:00 is no zone: it knows no summer.
    return /^[A-Za-z]/.test(name) && new Intl.DateTimeFormat('en', { timeZone: name }) !== null;
  } catch {
    return false;
  }
}
