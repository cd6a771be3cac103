import { SyscallError } from '../../protocol/errors.ts';
import type { ScheduleRow } from '../../state/schedules.ts';
import type { Clock } from '../../std/clock.ts';
import type { ScheduleRun } from '../../syscalls/sched.ts';
import type { Args, Result } from '../../syscalls/table.ts';
import type { Documents } from '../documents.ts';
import type { Caller, Handlers } from '../handler.ts';
import { authorOf } from './principal.ts';
import type { Scheduler } from './scheduler.ts';
import type { Schedules } from './schedules.ts';
import type { Ticks } from './ticks.ts';
import type { Wakes } from './wakes.ts';

type SchedName = Extract<keyof Handlers, `sched.${string}`>;
type Ran = Result<'sched.run'>['results'][number];

export type SchedParts = {
  schedules: Schedules;
  scheduler: Scheduler;
  ticks: Ticks;
  wakes: Wakes;
  clock: Clock;
  documents: Pick<Documents, 'stored'>;
};

export function schedHandlers(parts: SchedParts): Handlers<SchedName> {
  const { schedules, documents } = parts;
  const store = async (row: ScheduleRow): Promise<Result<'sched.add'>> => {
    await documents.stored(() => schedules.put(row));
    return { schedule: recordOf(schedules, row) };
  };
  return {
    'sched.list': async (args, { caller }) => schedules.list(args, caller),
    'sched.add': async (args, { caller }) => store(await schedules.made(args, caller)),
    'sched.update': async (args, { caller }) => store(await schedules.changed(args, caller)),
    'sched.remove': async ({ id }, { caller }) => {
      if (schedules.find(id, caller) === undefined) return { removed: false };
      return { removed: await documents.stored(() => schedules.remove(id), 'reserve') };
    },
    'sched.run': (args, { caller }) => run(parts, args, caller),
    'sched.history': async ({ id, limit }, { caller }) => ({ runs: schedules.history(id, caller, limit) }),
  };
}

function recordOf(schedules: Schedules, { id }: ScheduleRow): Result<'sched.add'>['schedule'] {
  const record = schedules.record(id);
  if (!record) throw new SyscallError(409, 'The schedule was removed meanwhile');
  return record;
}

async function run(parts: SchedParts, args: Args<'sched.run'>, caller: Caller): Promise<Result<'sched.run'>> {
  const { id, mode = id === undefined ? 'due' : 'force' } = args;
  if (mode === 'force' && id === undefined) throw new SyscallError(400, 'force needs the id of a schedule');
  const rows =
    id === undefined ? parts.schedules.rows(caller.identity.uid) : [parts.schedules.demand(id, caller)];
  const results = mode === 'force' ? await forced(parts, rows, caller) : await due(parts, rows);
  return { ran: results.filter(({ status }) => status !== 'skipped').length, results };
}

async function due({ scheduler, wakes, clock }: SchedParts, rows: ScheduleRow[]): Promise<Ran[]> {
  const now = clock.now();
  const waiting = rows.filter(({ id }) => (wakes.wake(id)?.atMs ?? Number.POSITIVE_INFINITY) <= now);
  const ran = waiting.map(async (row) => resultOf(wakes, row, await scheduler.runDue(row)));
  return Promise.all(ran);
}

/** Now, because somebody wants it; what an agent runs is judged as its own. */
async function forced(
  { ticks, wakes, clock }: SchedParts,
  rows: ScheduleRow[],
  caller: Caller,
): Promise<Ran[]> {
  const by = authorOf(caller);
  const ran = rows.map(async (row) => {
    const author = by.kind === 'agent' ? by : row.author;
    const cause = { dueMs: clock.now(), attempt: 0, cause: 'person', author } as const;
    return resultOf(wakes, row, await ticks.run(row, cause));
  });
  return Promise.all(ran);
}

function resultOf(wakes: Wakes, { id }: ScheduleRow, run: ScheduleRun | undefined): Ran {
  const nextRunAtMs = wakes.dueMs(id);
  if (!run)
    return {
      scheduleId: id,
      status: 'skipped',
      summary: 'It is being run already',
      durationMs: 0,
      nextRunAtMs,
    };
  const { status, note, durationMs } = run;
  const told = status === 'error' ? { error: note } : { summary: note };
  return { scheduleId: id, status, ...told, durationMs, nextRunAtMs };
}
