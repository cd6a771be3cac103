import { type Static, Type } from 'typebox';
import { literals, nullable } from '../syscalls/declare.ts';
import {
  MisfirePolicy,
  RetryPolicy,
  ScheduleAuthor,
  ScheduleExpression,
  ScheduleRun,
  ScheduleTarget,
} from '../syscalls/sched.ts';

const Count = Type.Integer({ minimum: 0 });
const Time = Count;
const text = Type.String();

/** What a schedule is, as its owner set it; the key is `id`. What becomes of it stands in its state row. */
export const ScheduleRow = Type.Object({
  id: text,
  ownerUid: Count,
  name: text,
  description: nullable(text),
  enabled: Type.Boolean(),
  expression: ScheduleExpression,
  /** Fires are those after this moment: it was made, enabled, or given another expression. */
  armedAtMs: Time,
  target: ScheduleTarget,
  misfirePolicy: MisfirePolicy,
  retry: RetryPolicy,
  author: ScheduleAuthor,
  createdAtMs: Time,
  updatedAtMs: Time,
});

/** What has become of a schedule; the key is its id. The holder of the seat alone writes it, so it never undoes an edit. */
export const ScheduleStateRow = Type.Object({
  scheduleId: text,
  /** Fires until this moment are settled. */
  settledMs: Time,
  /** The fire that was carried out last, or is being carried out. */
  dueMs: nullable(Time),
  /** A tick that has begun and not ended, and the replica that carries it out. */
  running: nullable(
    Type.Object({ dueMs: Time, atMs: Time, by: text, attempt: Count, cause: ScheduleRun.properties.cause }),
  ),
  retry: nullable(Type.Object({ dueMs: Time, attempt: Count, atMs: Time })),
  missed: nullable(Type.Object({ fromMs: Time, noticedAtMs: Time, policy: MisfirePolicy })),
  lastRunAtMs: nullable(Time),
  lastStatus: nullable(literals(['ok', 'error', 'skipped'])),
  lastError: nullable(text),
  lastDurationMs: nullable(Count),
  /** Since when every tick has failed; null after one that did not. */
  failingSinceMs: nullable(Time),
  runCount: Count,
  /** The process and the message of the last tick that reached one: the next waits for its end. */
  lastPid: nullable(text),
  lastMessageId: nullable(text),
});

/** One run of a schedule; the key is `<schedule id>/<n modulo 50>`, so that the oldest makes room. */
export const ScheduleRunRow = Type.Object({ scheduleId: text, ...ScheduleRun.properties });

export type ScheduleRow = Static<typeof ScheduleRow>;
export type ScheduleStateRow = Static<typeof ScheduleStateRow>;
export type ScheduleRunRow = Static<typeof ScheduleRunRow>;
