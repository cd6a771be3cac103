import { type Static, Type } from 'typebox';
import { literals, nullable, optional } from '../syscalls/declare.ts';

const text = Type.String();
const Uid = Type.Integer({ minimum: 0 });
const Time = Type.Integer({ minimum: 0 });

/** A process waits for another's answer; the key is `callId`. It is there until somebody has been told how it ended. */
export const CallRow = Type.Object({
  callId: text,
  uid: Uid,
  /** Who waits, and in which of its conversations. */
  sourcePid: text,
  sourceConversationId: text,
  /** Who is to answer, and in which of its conversations. */
  pid: text,
  conversationId: text,
  /** Under which the request was delivered. */
  messageId: text,
  /** `delegate`: to a child that was made for it. */
  kind: literals(['call', 'delegate']),
  startedAt: Time,
  deadlineAt: Time,
  /** The replica that made it. */
  by: text,
  /** Of the run that made it, as in its row: what comes of the call goes on from there. */
  hops: optional(Type.Integer({ minimum: 0 })),
});
export type CallRow = Static<typeof CallRow>;

/**
 * Something that a process has yet to be told; the key is `messageId`, by which it is told once. It is written together
 * with its cause, and gone when the process has it.
 */
export const EventRow = Type.Object({
  messageId: text,
  uid: Uid,
  pid: text,
  conversationId: text,
  text,
  at: Time,
  /** The replica that tells it, unless it is gone. */
  by: text,
  /** The watch that it comes from. */
  watchId: optional(text),
  /** As in a run's row. */
  hops: optional(Type.Integer({ minimum: 0 })),
});
export type EventRow = Static<typeof EventRow>;

/** A process wants to be told of a signal; the key is `watchId`. */
export const WatchRow = Type.Object({
  watchId: text,
  uid: Uid,
  /** Who is told, and in which of its conversations. */
  pid: text,
  conversationId: text,
  /** A signal, or the beginning of several: `notification.*`. */
  signal: text,
  /** The process whose signals they are; null for signals of no process. */
  processId: nullable(text),
  key: nullable(text),
  /** JSON of the watcher's own, told back to it. */
  state: optional(Type.Unknown()),
  once: Type.Boolean(),
  createdAt: Time,
  expiresAt: Time,
  /** `fired`: a watch for once that is about to be told; `failed`: it could not be told, and is told no more. */
  status: literals(['active', 'fired', 'failed']),
  error: optional(text),
  /** How often it was told, and when last. */
  count: Type.Integer({ minimum: 0 }),
  lastAt: nullable(Time),
});
export type WatchRow = Static<typeof WatchRow>;
