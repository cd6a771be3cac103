import type { ScheduleRow } from '../../state/schedules.ts';
import { NATIVE_TARGET } from '../routing.ts';
import { isTimeZone, normalCron } from './cron.ts';

/** One line of a crontab that runs a command. */
export type CrontabEntry = {
  expr: string;
  timezone: string;
  command: string;
  /** The comment above it. */
  description: string | null;
  enabled: boolean;
};

/** A crontab that cannot be read: the number of its first bad line, and why. */
export type CrontabProblem = { line: number; problem: string };

/** How a line that is switched off begins. */
const OFF = '#off ';
/** How the lines begin that tell of schedules which a crontab cannot hold. They are not read. */
const OTHER = '#: ';
const FIELDS = 5;
const NAME_CHARACTERS = 60;

/** The schedule as a line of a crontab; null when it is more than a command at times of five fields. */
export function entryOf({ expression, target, description, enabled }: ScheduleRow): CrontabEntry | null {
  if (expression.kind !== 'cron' || target.kind !== 'shell.exec') return null;
  if ((target.target ?? NATIVE_TARGET) !== NATIVE_TARGET || target.cwd !== undefined) return null;
  if (target.input.includes('\n')) return null;
  const { expr, timezone } = expression;
  return { expr, timezone, command: target.input, description, enabled };
}

/** Whether two lines mean the same; a comment is not part of that. */
export function sameEntry(a: CrontabEntry, b: CrontabEntry): boolean {
  return a.expr === b.expr && a.timezone === b.timezone && a.command === b.command;
}

/** What a schedule is called that a crontab made. */
export function nameOf({ command }: CrontabEntry): string {
  const line = command.trim();
  return line.length > NAME_CHARACTERS ? `${line.slice(0, NAME_CHARACTERS - 1)}…` : line;
}

/** A crontab of these schedules: what it can hold as lines, the others as comments. Empty without any. */
export function renderCrontab(rows: readonly ScheduleRow[], zone: string): string {
  const lines: string[] = [];
  let current = zone;
  for (const row of rows) {
    const entry = entryOf(row);
    if (!entry) lines.push(`${OTHER}${row.name.replaceAll('\n', ' ')} (sched show ${row.id})`);
    else {
      if (entry.timezone !== current) lines.push(`CRON_TZ=${entry.timezone}`);
      current = entry.timezone;
      lines.push(...rendered(entry));
    }
  }
  return lines.map((line) => `${line}\n`).join('');
}

function rendered({ description, enabled, expr, command }: CrontabEntry): string[] {
  const comment = (description ?? '').split('\n').filter((line) => line.trim() !== '');
  return [...comment.map((line) => `# ${line}`), `${enabled ? '' : OFF}${expr} ${command}`];
}

/**
 * Reads a crontab: five fields or a nickname (`@daily`), then a command. `CRON_TZ=Zone` is for the lines behind it; the
 * comment above a line is its description. `problem` looks at an expression.
 */
export function parseCrontab(
  text: string,
  zone: string,
  problem: (expr: string, timezone: string) => string | null,
): CrontabEntry[] | CrontabProblem {
  const entries: CrontabEntry[] = [];
  let [timezone, comment] = [zone, [] as string[]];
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim();
    const bad = (why: string): CrontabProblem => ({ line: index + 1, problem: why });
    const setting = /^([A-Za-z_]\w*)\s*=\s*(.*)$/.exec(line);
    if (line === '') comment = [];
    else if (line.startsWith('#') && !line.startsWith(OFF)) comment = withComment(comment, line);
    else if (setting) {
      const [, name = '', value = ''] = setting;
      if (name !== 'CRON_TZ' && name !== 'TZ') return bad(`${name} cannot be set here, only CRON_TZ`);
      timezone = value.replaceAll(/^["']|["']$/g, '');
      if (!isTimeZone(timezone)) return bad(`there is no time zone ${timezone}`);
    } else {
      const entry = parseLine(line, timezone, comment);
      if (!entry) return bad('a line is five fields and a command');
      const wrong = problem(entry.expr, timezone);
      if (wrong !== null) return bad(wrong);
      entries.push(entry);
      comment = [];
    }
  }
  return entries;
}

function withComment(comment: string[], line: string): string[] {
  return line.startsWith(OTHER) ? comment : [...comment, line.replace(/^#+ ?/, '')];
}

function parseLine(line: string, timezone: string, comment: string[]): CrontabEntry | null {
  const enabled = !line.startsWith(OFF);
  const words = (enabled ? line : line.slice(OFF.length)).trim();
  const fields = words.startsWith('@') ? 1 : FIELDS;
  const found = new RegExp(`^((?:\\S+\\s+){${fields - 1}}\\S+)\\s+(\\S.*)$`).exec(words);
  if (!found) return null;
  const [, expr = '', command = ''] = found;
  const description = comment.join('\n').trim() || null;
  return { expr: normalCron(expr), timezone, command, description, enabled };
}
