import type { ScheduleExpression, ScheduleRecord, ScheduleTarget } from '../../../syscalls/sched.ts';
import { nextFires } from '../../sched/expression.ts';
import { parseSpan } from '../../sched/span.ts';
import { atWallClock } from '../../sched/wall-clock.ts';
import { targetInWords, whenInWords } from '../../sched/words.ts';
import {
  type CommandContext,
  type CommandResult,
  columns,
  failed,
  misused,
  printed,
  type ShellCommand,
} from '../command.ts';

type Subcommand = (args: string[], context: CommandContext) => Promise<CommandResult>;

const SHOWN_ID = 8;
const subcommands: Record<string, Subcommand> = {
  list,
  add,
  show: (args, context) => withOne(args, context, async (one) => printed(shown(one))),
  on: (args, context) => switched(args, context, true),
  off: (args, context) => switched(args, context, false),
  run: (args, context) => withOne(args, context, (one) => runNow(one, context)),
  rm: (args, context) => withOne(args, context, (one) => remove(one, context)),
  log: (args, context) => withOne(args, context, (one) => log(one, context)),
};

export const sched: ShellCommand = {
  name: 'sched',
  summary: 'make, list and run schedules',
  usage: `sched list
sched add [--name NAME] WHEN [--retry N] [--skip-missed] WHAT
  WHEN  --at 2026-12-24T18:00 | --in 20m | --every 1h30m | --cron '0 9 * * 1-5'   [--tz Europe/Berlin]
  WHAT  --tell MESSAGE [--pid PID] | --spawn PROMPT [--profile PROFILE] | [--target DEVICE] -- COMMAND
sched show|on|off|run|rm|log ID
An ID may be shortened to its first characters.`,
  async run([name = 'list', ...rest], context) {
    const subcommand = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined;
    return subcommand ? subcommand(rest, context) : misused(sched);
  },
};

async function all({ syscalls, signal }: CommandContext): Promise<ScheduleRecord[]> {
  return (await syscalls.call('sched.list', { limit: 500 }, { signal })).schedules;
}

async function list(_args: string[], context: CommandContext): Promise<CommandResult> {
  const rows = (await all(context)).map((one) => [
    one.id.slice(0, SHOWN_ID),
    one.enabled ? nextText(one) : 'off',
    one.state.lastStatus ?? '-',
    whenInWords(one.expression, 'UTC'),
    one.name,
  ]);
  return printed(rows.length === 0 ? '' : columns([['ID', 'NEXT', 'LAST', 'WHEN', 'NAME'], ...rows]));
}

function nextText({ state }: ScheduleRecord): string {
  return state.nextRunAtMs === null ? 'never' : moment(state.nextRunAtMs);
}

function moment(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

async function withOne(
  [id = '']: string[],
  context: CommandContext,
  step: (one: ScheduleRecord) => Promise<CommandResult>,
): Promise<CommandResult> {
  const found = (await all(context)).filter((one) => id !== '' && one.id.startsWith(id));
  const [one] = found;
  if (!one) return failed('sched', id === '' ? 'which schedule?' : `no schedule ${id}`);
  return found.length > 1 ? failed('sched', `${id} is several schedules`) : step(one);
}

function shown(one: ScheduleRecord): string {
  const { state, expression } = one;
  const next =
    one.enabled && state.nextRunAtMs !== null
      ? nextFires(expression, one.updatedAtMs, state.nextRunAtMs - 1, 3)
      : [];
  const fields: [string, string][] = [
    ['Id', one.id],
    ['Name', one.name],
    ['When', whenInWords(expression, 'UTC')],
    ['Expression', JSON.stringify(expression)],
    ['Does', targetInWords(one.target)],
    ['Enabled', one.enabled ? 'yes' : 'no'],
    ['Next', next.map(moment).join(', ') || 'never'],
    ['Missed', `${one.misfirePolicy}${state.missed ? `; since ${moment(state.missed.fromMs)}` : ''}`],
    ['Retry', `${one.retry.limit} times`],
    ['Runs', String(state.runCount)],
    ['Last', state.lastRunAtMs === null ? '-' : `${moment(state.lastRunAtMs)} ${state.lastStatus}`],
    ['Error', state.lastError ?? '-'],
  ];
  return columns(fields);
}

async function switched(args: string[], context: CommandContext, enabled: boolean): Promise<CommandResult> {
  return withOne(args, context, async ({ id }) => {
    await context.syscalls.call('sched.update', { id, patch: { enabled } }, { signal: context.signal });
    return printed('');
  });
}

async function runNow({ id }: ScheduleRecord, { syscalls, signal }: CommandContext): Promise<CommandResult> {
  const { results } = await syscalls.call('sched.run', { id, mode: 'force' }, { signal });
  const [{ status, error, summary = '' } = { status: 'skipped' as const, error: undefined }] = results;
  return status === 'error' ? failed('sched', error ?? 'it failed') : printed(`${status} ${summary}`.trim());
}

async function remove({ id }: ScheduleRecord, { syscalls, signal }: CommandContext): Promise<CommandResult> {
  await syscalls.call('sched.remove', { id }, { signal });
  return printed('');
}

async function log({ id }: ScheduleRecord, { syscalls, signal }: CommandContext): Promise<CommandResult> {
  const { runs } = await syscalls.call('sched.history', { id }, { signal });
  const rows = runs
    .reverse()
    .map(({ startedAtMs, status, cause, note }) => [
      moment(startedAtMs),
      status,
      cause,
      note.replaceAll('\n', ' | '),
    ]);
  return printed(columns(rows));
}

/** Options that take a value. */
const VALUED = [
  'name',
  'at',
  'in',
  'every',
  'cron',
  'tz',
  'retry',
  'tell',
  'pid',
  'spawn',
  'profile',
  'target',
];
type Options = Record<string, string>;

async function add(args: string[], context: CommandContext): Promise<CommandResult> {
  const end = args.indexOf('--');
  const command = end < 0 ? [] : args.slice(end + 1);
  const options = optionsOf(end < 0 ? args : args.slice(0, end));
  if (options === null) return misused(sched);
  const zone = options.tz ?? (await defaultZone(context));
  const expression = expressionOf(options, zone);
  if (typeof expression === 'string') return failed('sched', expression, 2);
  const target = targetOf(options, command, context);
  if (target === null) return failed('sched', 'say what it does: --tell, --spawn, or -- COMMAND', 2);
  const { schedule } = await context.syscalls.call(
    'sched.add',
    {
      name: options.name ?? nameOf(target),
      expression,
      target,
      ...(options['skip-missed'] === undefined ? {} : { misfirePolicy: 'skip' }),
      ...(options.retry === undefined ? {} : { retry: { limit: Number(options.retry), backoffMs: 30_000 } }),
    },
    { signal: context.signal },
  );
  return printed(`${schedule.id} next ${nextText(schedule)}`);
}

function optionsOf(args: readonly string[]): Options | null {
  const options: Options = {};
  const left = args.values();
  for (const arg of left) {
    const name = arg.slice(2);
    if (arg === '--skip-missed') options[name] = '';
    else if (arg.startsWith('--') && VALUED.includes(name)) options[name] = left.next().value ?? '';
    else return null;
  }
  return options;
}

async function defaultZone({ syscalls, signal }: CommandContext): Promise<string> {
  const key = 'config/server/timezone';
  const { entries } = await syscalls
    .call('sys.config.get', { key }, { signal })
    .catch(() => ({ entries: [] }));
  return entries[0]?.value ?? 'UTC';
}

/** The expression, or what is wrong with it. */
function expressionOf(options: Options, timezone: string): ScheduleExpression | string {
  const { at, in: after, every, cron } = options;
  const said = [at, after, every, cron].filter((value) => value !== undefined);
  if (said.length !== 1) return 'say when: one of --at, --in, --every, --cron';
  if (cron !== undefined) return { kind: 'cron', expr: cron, timezone };
  if (at !== undefined) {
    const atMs = /(Z|[+-]\d\d:\d\d)$/.test(at) ? Date.parse(at) : atWallClock(at, timezone);
    return atMs === null || Number.isNaN(atMs)
      ? `no such time: ${at}; write 2026-12-24T18:00`
      : { kind: 'at', atMs };
  }
  const ms = parseSpan(after ?? every ?? '');
  if (ms === null) return `no such span: ${after ?? every}; write 90s, 15m, 1h30m, 2d`;
  return after === undefined ? { kind: 'every', everyMs: ms } : { kind: 'after', afterMs: ms };
}

function targetOf(
  options: Options,
  command: string[],
  { identity, credentials }: CommandContext,
): ScheduleTarget | null {
  const { tell, spawn, profile, target, pid = credentials.pid ?? `init:${identity.uid}` } = options;
  if (tell !== undefined) return { kind: 'process.event', pid, message: tell };
  if (spawn !== undefined)
    return { kind: 'process.spawn', prompt: spawn, ...(profile === undefined ? {} : { profile }) };
  if (command.length === 0) return null;
  return { kind: 'shell.exec', input: scriptOf(command), ...(target === undefined ? {} : { target }) };
}

/** One argument is a script; several are a command whose words are kept apart. */
function scriptOf(words: string[]): string {
  const [only = '', ...rest] = words;
  if (rest.length === 0) return only;
  return words
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(' ');
}

const NAME_CHARACTERS = 80;

function nameOf(target: ScheduleTarget): string {
  const words = targetInWords(target).replace(/^(runs|tells a process:|starts a process:) /, '');
  return words.slice(0, NAME_CHARACTERS) || 'schedule';
}
