import { describe, expect, test } from 'vitest';
import { fractions } from '../../../tests/support/numbers.ts';
import type { ScheduleExpression } from '../../syscalls/sched.ts';
import { expressionProblem, nextFire, nextFires } from './expression.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
const at = (text: string): number => Date.parse(text);
const iso = (times: number[]): string[] => times.map((ms) => new Date(ms).toISOString().slice(0, 16));
const cron = (expr: string, timezone = 'UTC'): ScheduleExpression => ({ kind: 'cron', expr, timezone });
const fires = (expression: ScheduleExpression, after: string, count = 3): string[] =>
  iso(nextFires(expression, at(after), at(after), count));

type Wall = { minute: number; hour: number; day: number; month: number; weekday: number };
const formats = new Map<string, Intl.DateTimeFormat>();
const known = new Map<string, Wall>();

/** What the clock shows there and then; each minute of a zone is asked of it once. */
function wallClock(ms: number, timeZone: string): Wall {
  const key = `${ms} ${timeZone}`;
  const wall = known.get(key) ?? readClock(ms, timeZone);
  known.set(key, wall);
  return wall;
}

function readClock(ms: number, timeZone: string): Wall {
  const parts = {
    hour: 'numeric',
    minute: 'numeric',
    day: 'numeric',
    month: 'numeric',
    year: 'numeric',
  } as const;
  const format =
    formats.get(timeZone) ?? new Intl.DateTimeFormat('en-US', { ...parts, timeZone, hourCycle: 'h23' });
  formats.set(timeZone, format);
  const read = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
  const { minute = 0, hour = 0, day = 0, month = 0, year = 0 } = read;
  return { minute, hour, day, month, weekday: new Date(Date.UTC(year, month - 1, day)).getUTCDay() };
}

function fieldFits(field: string, value: number, least: number): boolean {
  return field.split(',').some((part) => {
    const [range = '', step = '1'] = part.split('/');
    const [from = '', to = from] = range === '*' ? [String(least), '99'] : range.split('-');
    return value >= Number(from) && value <= Number(to) && (value - Number(from)) % Number(step) === 0;
  });
}

function wallFits(expr: string, { minute, hour, day, month, weekday }: Wall): boolean {
  const [minutes = '', hours = '', days = '', months = '', weekdays = ''] = expr.split(' ');
  const [byDay, byWeekday] = [fieldFits(days, day, 1), fieldFits(weekdays, weekday, 0)];
  const either = days !== '*' && weekdays !== '*';
  return (
    fieldFits(minutes, minute, 0) &&
    fieldFits(hours, hour, 0) &&
    fieldFits(months, month, 1) &&
    (either ? byDay || byWeekday : byDay && byWeekday)
  );
}

const sameTime = (a: Wall, b: Wall): boolean => a.minute === b.minute && a.hour === b.hour && a.day === b.day;

/** Reads the wall clock minute by minute, as a person with a list of rules would. Null when nothing fires in time. */
function naiveNext(expr: string, zone: string, after: number, until: number): number | null {
  const fixed = !/[*/]/.test(expr.split(' ').slice(0, 2).join(' '));
  for (let ms = (Math.floor(after / MINUTE) + 1) * MINUTE; ms <= until; ms += MINUTE) {
    const wall = wallClock(ms, zone);
    if (!fixed) {
      if (wallFits(expr, wall)) return ms;
      continue;
    }
    if (wallFits(expr, wall) && !shownBefore(ms, wall, zone)) return ms;
    if (leftOut(ms, wall, zone).some((skipped) => wallFits(expr, skipped))) return ms;
  }
  return null;
}

/** Whether the clock showed the same time up to three hours ago. */
function shownBefore(ms: number, wall: Wall, zone: string): boolean {
  const ago = [30, 60, 120].map((minutes) => wallClock(ms - minutes * MINUTE, zone));
  return ago.some((earlier) => sameTime(earlier, wall));
}

/** Times of this day that the clock never showed, because it was put forward just now. */
function leftOut(ms: number, wall: Wall, zone: string): Wall[] {
  const before = wallClock(ms - MINUTE, zone);
  const minutes = (of: Wall): number => of.hour * 60 + of.minute;
  const from = before.day === wall.day ? minutes(before) + 1 : 0;
  const skipped = Math.max(0, minutes(wall) - from);
  return Array.from({ length: skipped }, (_, index) => {
    const minute = from + index;
    return { ...wall, hour: Math.floor(minute / 60), minute: minute % 60 };
  });
}

/** Zones that change by an hour, half an hour, two hours, at midnight, twice around Ramadan, and not at all. */
const CHANGES: [zone: string, around: string][] = [
  ['Europe/Berlin', '2026-03-29T01:00Z'],
  ['Europe/Berlin', '2026-10-25T01:00Z'],
  ['America/New_York', '2027-03-14T07:00Z'],
  ['America/New_York', '2026-11-01T06:00Z'],
  ['Australia/Lord_Howe', '2026-04-04T15:00Z'],
  ['Australia/Lord_Howe', '2026-10-03T15:30Z'],
  ['America/Havana', '2026-03-08T05:00Z'],
  ['America/Havana', '2026-11-01T05:00Z'],
  ['Antarctica/Troll', '2026-03-29T01:00Z'],
  ['Antarctica/Troll', '2026-10-25T01:00Z'],
  ['Africa/Casablanca', '2026-02-15T02:00Z'],
  ['Asia/Beirut', '2026-03-28T22:00Z'],
  ['America/Santiago', '2026-04-05T03:00Z'],
  ['Asia/Kathmandu', '2026-03-01T00:00Z'],
  ['UTC', '2028-02-28T23:00Z'],
];

function anyExpression(random: () => number): string {
  const whole = (least: number, most: number): number => least + Math.floor(random() * (most - least + 1));
  const field = (least: number, most: number, anything: number): string => {
    const [a, b] = [whole(least, most), whole(least, most)].sort((x, y) => x - y);
    const kinds = [`${a}`, `${a},${b}`, `${a}-${b}`, `*/${whole(2, 20)}`, `${a}-${b}/${whole(1, 5)}`];
    return random() < anything ? '*' : (kinds[whole(0, kinds.length - 1)] ?? '*');
  };
  const hours =
    random() < 0.6 ? [`${whole(0, 4)}`, '1-3', '0,2', '2-3', '0'][whole(0, 4)] : field(0, 23, 0.4);
  return `${field(0, 59, 0.2)} ${hours} ${field(1, 28, 0.8)} ${field(1, 12, 0.9)} ${field(0, 6, 0.8)}`
    .replace(/(\d+)-(\d+)\/(\d+)/g, (text, from, to, step) =>
      Number(step) > 1 && Number(from) < Number(to) ? text : `${from}`,
    )
    .replace(/ \*\/(\d+) (\S+) (\S+)$/, (text, step) => (Number(step) > 12 ? text.replace(step, '3') : text));
}

describe('when a schedule fires', () => {
  test.each(CHANGES)(
    '[P250] in %s around %s it is what a minute-by-minute reading of the clock gives',
    (zone, around) => {
      const random = fractions(zone.length * 31 + around.charCodeAt(6));
      for (let round = 0; round < 15; round += 1) {
        const expr = anyExpression(random);
        const after = at(around) + Math.floor((random() * 2 - 1.4) * DAY);
        if (expressionProblem(cron(expr, zone), after) !== null) continue;
        let last = after;
        for (let fire = 0; fire < 4; fire += 1) {
          const until = Math.min(last + DAY, after + 3 * DAY);
          const naive = naiveNext(expr, zone, last, until);
          const next = nextFire(cron(expr, zone), 0, last);
          const found = next === null || next > until ? null : next;
          const label = `${expr} in ${zone} after ${new Date(last).toISOString()}`;
          expect([label, ...iso(found === null ? [] : [found])]).toEqual([
            label,
            ...iso(naive === null ? [] : [naive]),
          ]);
          if (found === null) break;
          last = found;
        }
      }
    },
  );

  test('[P250] once at a time, once after a while, and every so often from an anchor', () => {
    expect(fires({ kind: 'at', atMs: at('2026-05-01T10:00Z') }, '2026-05-01T09:00Z')).toEqual([
      '2026-05-01T10:00',
    ]);
    expect(fires({ kind: 'after', afterMs: 90_000 * 60 }, '2026-05-01T09:00Z')).toEqual(['2026-05-01T10:30']);
    expect(fires({ kind: 'every', everyMs: 2 * 3_600_000 }, '2026-05-01T09:10Z', 2)).toEqual([
      '2026-05-01T11:10',
      '2026-05-01T13:10',
    ]);
    const anchored: ScheduleExpression = { kind: 'every', everyMs: DAY, anchorMs: at('2026-06-01T06:00Z') };
    expect(fires(anchored, '2026-05-01T09:00Z', 2)).toEqual(['2026-06-01T06:00', '2026-06-02T06:00']);
    expect(fires(anchored, '2026-07-01T06:00Z', 1)).toEqual(['2026-07-02T06:00']);
  });

  test('[P251] a fixed time that the change of clocks leaves out fires when they change, one that comes twice fires once', () => {
    expect(fires(cron('30 2 * * *', 'Europe/Berlin'), '2026-03-28T12:00Z', 2)).toEqual([
      '2026-03-29T01:00',
      '2026-03-30T00:30',
    ]);
    expect(fires(cron('15,45 2 * * *', 'Europe/Berlin'), '2026-10-25T00:00Z', 3)).toEqual([
      '2026-10-25T00:15',
      '2026-10-25T00:45',
      '2026-10-26T01:15',
    ]);
    // From between the two.
    expect(fires(cron('30 2 * * *', 'Europe/Berlin'), '2026-10-25T00:50Z', 1)).toEqual(['2026-10-26T01:30']);
  });

  test('[P251] a repeating one goes on through both', () => {
    expect(fires(cron('*/30 * * * *', 'Europe/Berlin'), '2026-10-25T00:20Z', 4)).toEqual([
      '2026-10-25T00:30',
      '2026-10-25T01:00',
      '2026-10-25T01:30',
      '2026-10-25T02:00',
    ]);
    expect(fires(cron('*/30 * * * *', 'Europe/Berlin'), '2026-03-29T00:20Z', 3)).toEqual([
      '2026-03-29T00:30',
      '2026-03-29T01:00',
      '2026-03-29T01:30',
    ]);
  });

  test('[P250] asking again, later or from another clock, changes nothing', () => {
    const expression = cron('7 3 29 2 *', 'America/New_York');
    const asked = Array.from({ length: 3 }, () => nextFire(expression, 0, at('2026-01-01T00:00Z')));
    expect(iso(asked.flatMap((ms) => ms ?? []))).toEqual(Array(3).fill('2028-02-29T08:07'));
  });
});

describe('what never fires', () => {
  const now = at('2026-05-01T00:00Z');
  test.each([
    ['0 0 30 2 *', 'never fires'],
    ['0 0 31 4,6,9,11 *', 'never fires'],
    ['* * * *', 'five fields'],
    ['0 0 * * * *', 'five fields'],
    ['61 * * * *', '61'],
    ['a b c d e', 'illegal characters'],
    ['*/0 * * * *', 'stepping'],
    ['@reboot', 'five fields'],
  ])('[P252] %s is refused in words', (expr, words) => {
    expect(expressionProblem(cron(expr), now)).toContain(words);
  });

  test('[P252] so is a zone that there is not, and a time that is past', () => {
    expect(expressionProblem(cron('0 0 * * *', 'Europe/Nowhere'), now)).toBe(
      'There is no time zone Europe/Nowhere',
    );
    expect(expressionProblem(cron('0 0 * * *', '+02:00'), now)).toContain('no time zone');
    expect(expressionProblem({ kind: 'at', atMs: now }, now)).toBe('This time is past');
    expect(expressionProblem(cron('@daily', 'Asia/Tokyo'), now)).toBeNull();
  });

  const cost = (expr: string): number => {
    const times = Array.from({ length: 60 }, (_, index) => {
      const began = performance.now();
      for (let round = 0; round < 5; round += 1)
        expressionProblem(cron(expr, 'Europe/Berlin'), now + index * 7_777_777);
      return performance.now() - began;
    });
    return times.sort((a, b) => a - b)[20] ?? 0;
  };

  test('[P253] a yearly expression costs at most three times a minutely one, and an impossible one is refused at once', {
    timeout: 60_000,
  }, () => {
    cost('* * * * *');
    expect(cost('0 0 1 1 *') / cost('* * * * *')).toBeLessThan(3);
    expect(cost('0 0 30 2 *') / 5).toBeLessThan(100);
  });
});
