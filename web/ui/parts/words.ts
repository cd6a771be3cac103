/** Numbers and times as a person reads them. */

export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms < 60_000) return `${Math.round(ms / 1_000)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} m ${pad(Math.floor((ms % 60_000) / 1_000))} s`;
  return `${Math.floor(minutes / 60)} h ${pad(minutes % 60)} m`;
}

/** `00:48`, `1:02:09`: for a clock that runs. */
export function stopwatch(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const hours = Math.floor(seconds / 3_600);
  const rest = `${pad(Math.floor(seconds / 60) % 60)}:${pad(seconds % 60)}`;
  return hours === 0 ? rest : `${hours}:${rest}`;
}

export function tokens(count: number): string {
  if (count < 1_000) return String(Math.round(count));
  if (count < 100_000) return `${(count / 1_000).toFixed(1).replace('.0', '')}k`;
  if (count < 1_000_000) return `${Math.round(count / 1_000)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}

/** US dollars. An unknown price is not free: it is left out by the caller when it is 0. */
export function money(dollars: number): string {
  if (dollars > 0 && dollars < 0.01) return '< $0.01';
  return `$${dollars.toFixed(2)}`;
}

const SIZES = ['KB', 'MB', 'GB', 'TB'] as const;

/** As browsers and file managers write sizes: `12 bytes`, `1.5 KB`, `512 MB`; a unit is 1,024 of the one before. */
export function bytes(count: number): string {
  if (count < 1_024) return `${count} bytes`;
  const place = Math.min(Math.floor(Math.log(count) / Math.log(1_024)), SIZES.length) - 1;
  return `${(count / 1_024 ** (place + 1)).toFixed(1).replace('.0', '')} ${SIZES[place]}`;
}

/** `1 file`, `1,204 files`. */
export function count(number: number, what: string): string {
  return `${number.toLocaleString('en')} ${what}${number === 1 ? '' : 's'}`;
}

export function lines(count: number): string {
  return count === 1 ? '1 line' : `${count} lines`;
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** Making a formatter costs a hundred times what using one does, and a list shows hundreds of times. */
const formats = new Map<string, Intl.DateTimeFormat>();

function format(time: number, locale: string | undefined, name: keyof typeof styles): string {
  const key = `${locale} ${name}`;
  const known = formats.get(key) ?? new Intl.DateTimeFormat(locale, styles[name]);
  formats.set(key, known);
  return known.format(time);
}

const styles = {
  clock: { hour: '2-digit', minute: '2-digit', hour12: false },
  weekday: { weekday: 'short' },
  day: { day: 'numeric', month: 'short' },
  month: { month: 'short', year: 'numeric' },
  full: { dateStyle: 'medium', timeStyle: 'short' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

/** Short and coarse, for a list: `now`, `2 m`, `09:12`, `Thu`, `3 Nov`, `Nov 2025`. */
export function clockTime(time: number, now: number, locale?: string): string {
  const age = now - time;
  if (age < MINUTE) return 'now';
  if (age < 60 * MINUTE) return `${Math.floor(age / MINUTE)} m`;
  const date = new Date(time);
  const today = new Date(now);
  if (date.toDateString() === today.toDateString()) return format(time, locale, 'clock');
  if (age < 6 * DAY) return format(time, locale, 'weekday');
  return format(time, locale, date.getFullYear() === today.getFullYear() ? 'day' : 'month');
}

/** A moment in the past, for a sentence: `14:05`, `Thu 14:05`, `3 Nov 14:05`. */
export function momentOfDay(time: number, now: number, locale?: string): string {
  const date = new Date(time);
  const clock = format(time, locale, 'clock');
  if (date.toDateString() === new Date(now).toDateString()) return clock;
  return `${format(time, locale, now - time < 6 * DAY ? 'weekday' : 'day')} ${clock}`;
}

export function fullTime(time: number, locale?: string): string {
  return format(time, locale, 'full');
}

/** Puts words together that may or may not end as a sentence does. */
export function sentences(...parts: (string | null | undefined)[]): string {
  const said = parts
    .map((part) => part?.trim() ?? '')
    .filter((part) => part !== '')
    .map((part) => (/[.!?…]$/.test(part) ? part : `${part}.`));
  return [...new Set(said)].join(' ');
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}
