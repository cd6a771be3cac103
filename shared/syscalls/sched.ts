import { Type } from 'typebox';
import { Count, declare, literals, Name, nullable, optional, Path, record, Target, Time } from './declare.ts';
import { Profile } from './proc.ts';

/** 100 years: longer is a mistake. */
const MOST_MS = 100 * 366 * 86_400_000;
const Span = Type.Integer({ minimum: 1000, maximum: MOST_MS });

/** When a schedule fires. All times are milliseconds; a cron expression has five fields and means a zone's wall clock. */
export const ScheduleExpression = Type.Union([
  record({ kind: Type.Literal('at'), atMs: Time }),
  record({ kind: Type.Literal('after'), afterMs: Span }),
  record({ kind: Type.Literal('every'), everyMs: Span, anchorMs: optional(Time) }),
  record({
    kind: Type.Literal('cron'),
    expr: Type.String({ minLength: 1, maxLength: 200 }),
    timezone: Type.String({ minLength: 1, maxLength: 64 }),
  }),
]);
export type ScheduleExpression = Type.Static<typeof ScheduleExpression>;

const Pid = Type.String({ minLength: 1, maxLength: 128 });
const Words = Type.String({ minLength: 1, maxLength: 65_536 });
/** The tick is skipped while this file is missing, empty, or holds headings and comments alone; else its text goes along. */
const unlessEmpty = optional(Path);

/** What a schedule does. */
export const ScheduleTarget = Type.Union([
  record({
    kind: Type.Literal('process.spawn'),
    profile: optional(Profile),
    label: optional(Type.String({ maxLength: 200 })),
    prompt: Words,
    parentPid: optional(Pid),
    workspace: optional(Type.Unknown()),
    mounts: optional(Type.Array(Type.Unknown(), { maxItems: 64 })),
    assignment: optional(Type.Unknown()),
  }),
  record({
    kind: Type.Literal('process.event'),
    pid: Pid,
    conversationId: optional(Name),
    message: Words,
    data: optional(Type.Record(Type.String(), Type.Unknown())),
    unlessEmpty,
  }),
  record({
    kind: Type.Literal('process.lifecycle'),
    pid: Pid,
    conversationId: optional(Name),
    action: literals(['compact', 'reset', 'checkpoint']),
    options: optional(Type.Record(Type.String(), Type.Unknown())),
  }),
  record({
    kind: Type.Literal('shell.exec'),
    input: Words,
    target: optional(Target),
    cwd: optional(Path),
  }),
]);
export type ScheduleTarget = Type.Static<typeof ScheduleTarget>;

/** What becomes of a fire that nobody was there for: `run-once` makes up for all of them by one. */
export const MisfirePolicy = literals(['skip', 'run-once']);
/** How often a tick that failed is tried again, and how long after the first failure; each wait is twice the last. */
export const RetryPolicy = record({
  limit: Type.Integer({ minimum: 0, maximum: 10 }),
  backoffMs: Type.Integer({ minimum: 1000, maximum: 86_400_000 }),
});
/** On whose behalf it runs: a person, or an agent, whose calls the approval policy judges. */
export const ScheduleAuthor = Type.Union([
  record({ kind: Type.Literal('person') }),
  record({ kind: Type.Literal('agent'), pid: Pid }),
]);
const Status = literals(['ok', 'error', 'skipped']);

export const ScheduleRun = record({
  /** Increases by one with each run of a schedule. */
  n: Count,
  dueMs: Time,
  startedAtMs: Time,
  durationMs: Count,
  status: Status,
  cause: literals(['due', 'late', 'retry', 'person']),
  /** Why it failed or was skipped, or what came of it. */
  note: Type.String(),
  /** The process that it started or told. */
  pid: nullable(Pid),
});
export type ScheduleRun = Type.Static<typeof ScheduleRun>;

const settings = {
  name: Type.String({ minLength: 1, maxLength: 200 }),
  expression: ScheduleExpression,
  target: ScheduleTarget,
};
const choices = { misfirePolicy: optional(MisfirePolicy), retry: optional(RetryPolicy) };
const description = Type.String({ maxLength: 4000 });

export const ScheduleRecord = record({
  id: Name,
  ownerUid: Count,
  ...settings,
  description: optional(description),
  enabled: Type.Boolean(),
  overlapPolicy: Type.Literal('skip'),
  misfirePolicy: MisfirePolicy,
  retry: RetryPolicy,
  author: ScheduleAuthor,
  createdAtMs: Time,
  updatedAtMs: Time,
  state: record({
    nextRunAtMs: nullable(Time),
    runningAtMs: nullable(Time),
    lastRunAtMs: nullable(Time),
    lastStatus: nullable(Status),
    lastError: nullable(Type.String()),
    lastDurationMs: nullable(Count),
    runCount: Count,
    /** Since when fires were missed before the last one, and what was done about it; null when none were. */
    missed: nullable(record({ fromMs: Time, noticedAtMs: Time, policy: MisfirePolicy })),
    /** When a tick that failed is tried again. */
    retryAtMs: nullable(Time),
  }),
});
export type ScheduleRecord = Type.Static<typeof ScheduleRecord>;

const One = record({ id: Name });
const Made = record({ schedule: ScheduleRecord });

export const schedSyscalls = {
  'sched.list': declare({
    doc: 'Lists the caller’s schedules, those that are off too unless `includeDisabled` is false; root may name another owner, or sees all. 100 unless `limit` says otherwise, at most 500.',
    args: record({
      ownerUid: optional(Count),
      includeDisabled: optional(Type.Boolean()),
      limit: optional(Type.Integer({ minimum: 1 })),
      offset: optional(Count),
    }),
    result: record({ schedules: Type.Array(ScheduleRecord), count: Count }),
    audience: 'user',
    effect: 'read',
    routable: false,
  }),
  'sched.add': declare({
    doc: 'Makes a schedule. An expression that never fires, a time that is past and a target that cannot be are 400. It runs on its maker’s behalf, an agent’s under the approval policy with nobody to ask.',
    args: record({
      ...settings,
      ...choices,
      description: optional(description),
      enabled: optional(Type.Boolean()),
    }),
    result: Made,
    audience: 'user',
    effect: 'write',
    routable: false,
  }),
  'sched.update': declare({
    doc: 'Changes a schedule. It runs on the behalf of the person who last said what it does, or of the agent that changed it last. A null `description` removes it.',
    args: record({
      id: Name,
      patch: record({
        name: optional(settings.name),
        description: optional(nullable(description)),
        enabled: optional(Type.Boolean()),
        expression: optional(ScheduleExpression),
        target: optional(ScheduleTarget),
        ...choices,
      }),
    }),
    result: Made,
    audience: 'user',
    effect: 'write',
    routable: false,
  }),
  'sched.remove': declare({
    doc: 'Removes a schedule and its history; false when there is none of the caller’s with this id.',
    args: One,
    result: record({ removed: Type.Boolean() }),
    audience: 'user',
    effect: 'write',
    routable: false,
  }),
  'sched.run': declare({
    doc: 'Runs what is due of the caller’s, or with `force` the one schedule `id` at once, its next fire unchanged. Answers when it is done.',
    args: record({ id: optional(Name), mode: optional(literals(['due', 'force'])) }),
    result: record({
      ran: Count,
      results: Type.Array(
        record({
          scheduleId: Name,
          status: Status,
          error: optional(Type.String()),
          summary: optional(Type.String()),
          durationMs: Count,
          nextRunAtMs: optional(nullable(Time)),
        }),
      ),
    }),
    audience: 'user',
    effect: 'write',
    routable: false,
  }),
  'sched.history': declare({
    doc: 'Lists the last runs of a schedule, newest first; 50 are kept of each.',
    args: record({ id: Name, limit: optional(Type.Integer({ minimum: 1, maximum: 50 })) }),
    result: record({ runs: Type.Array(ScheduleRun) }),
    audience: 'user',
    effect: 'read',
    routable: false,
  }),
};
