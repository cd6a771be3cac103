import { isTimeZone } from './cron.ts';

const formats = new Map<string, Intl.DateTimeFormat>();

/** The clock's reading in a zone as if it were UTC, in whole minutes. */
function reading(ms: number, timeZone: string): number {
  const known = formats.get(timeZone);
  const parts = {
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  } as const;
  const format = known ?? new Intl.DateTimeFormat('en-US', { ...parts, timeZone, hourCycle: 'h23' });
  formats.set(timeZone, format);
  const read = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = read;
  return Date.UTC(year, month - 1, day, hour, minute);
}

/** `YYYY-MM-DDTHH:MM` as a clock in this zone shows a moment. */
export function wallClock(ms: number, timeZone: string): string {
  return new Date(reading(ms, timeZone)).toISOString().slice(0, 16);
}

/**
 * The moment at which a clock in this zone shows `YYYY-MM-DDTHH:MM`; of two the earlier, and where it is left out, as if
 * the clock had not been changed. Null for what is no such time.
 */
export function atWallClock(text: string, timeZone: string): number | null {
  const wanted = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d$/.test(text)
    ? Date.parse(`${text.replace(' ', 'T')}Z`)
    : Number.NaN;
  if (Number.isNaN(wanted) || !isTimeZone(timeZone)) return null;
  const day = 86_400_000;
  const offsets = [wanted - day, wanted + day].map(
    (near) => reading(near, timeZone) - Math.floor(near / 60_000) * 60_000,
  );
  const [before = 0, after = 0] = offsets;
  const fits = [wanted - Math.max(before, after), wanted - Math.min(before, after)].filter(
    (ms) => reading(ms, timeZone) === wanted,
  );
  return fits[0] ?? wanted - before;
}
