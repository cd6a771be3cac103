import type { ScheduleExpression, ScheduleTarget } from '../../syscalls/sched.ts';
import { spanText } from './span.ts';
import { wallClock } from './wall-clock.ts';

const UNITS: [name: string, ms: number][] = [
  ['week', 604_800_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
];
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** When a schedule fires, in words: "every 15 minutes", "on weekdays at 09:00". `zone` is the reader's. */
export function whenInWords(expression: ScheduleExpression, zone: string): string {
  switch (expression.kind) {
    case 'at':
      return `once, on ${wallClock(expression.atMs, zone).replace('T', ' at ')}`;
    case 'after':
      return `once, after ${spanInWords(expression.afterMs)}`;
    case 'every':
      return `every ${spanInWords(expression.everyMs).replace(/^1 /, '')}`;
    case 'cron': {
      const elsewhere = expression.timezone === zone ? '' : ` (${expression.timezone})`;
      return `${cronInWords(expression.expr)}${elsewhere}`;
    }
  }
}

/** "15 minutes", "1 day", and "1h30m" for what is no whole number of a unit. */
export function spanInWords(ms: number): string {
  const unit = UNITS.find(([, size]) => ms >= size && ms % size === 0);
  if (!unit) return spanText(ms);
  const [name, size] = unit;
  const count = ms / size;
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}

/** What a schedule does, in a few words. */
export function targetInWords(target: ScheduleTarget): string {
  switch (target.kind) {
    case 'process.spawn':
      return `starts a process: ${firstLine(target.prompt)}`;
    case 'process.event':
      return `tells a process: ${firstLine(target.message)}`;
    case 'process.lifecycle':
      return `${target.action} of a process`;
    case 'shell.exec':
      return `runs ${firstLine(target.input)}${target.target === undefined ? '' : ` on ${target.target}`}`;
  }
}

/** The usual expressions; any other is shown as it is written. */
function cronInWords(expr: string): string {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = expr.split(' ');
  const everyDay = day === '*' && month === '*';
  const at = timeOf(minute, hour);
  if (everyDay && weekday === '*') {
    const step = /^\*\/(\d+)$/.exec(minute);
    if (expr.startsWith('* * ')) return 'every minute';
    if (step && hour === '*' && 60 % Number(step[1]) === 0) return `every ${step[1]} minutes`;
    if (hour === '*' && /^\d+$/.test(minute)) return `every hour, ${minute} past`;
  }
  if (at === null) return `at ${expr}`;
  if (everyDay) {
    const days = daysInWords(weekday);
    return days === null ? `at ${expr}` : `${days} at ${at}`;
  }
  if (month === '*' && weekday === '*' && /^\d+$/.test(day)) return `on day ${day} of each month at ${at}`;
  return `at ${expr}`;
}

function timeOf(minute: string, hour: string): string | null {
  if (!/^\d+$/.test(minute) || !/^\d+$/.test(hour)) return null;
  return `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;
}

function daysInWords(weekday: string): string | null {
  if (weekday === '*') return 'every day';
  if (/^(1-5|mon-fri)$/i.test(weekday)) return 'on weekdays';
  if (!/^\d(,\d)*$/.test(weekday)) return null;
  const names = weekday.split(',').map((day) => DAYS[Number(day) % 7] ?? day);
  return `on ${names.join(', ')}`;
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0] ?? '';
}
