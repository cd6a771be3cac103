import { type Static, Type } from 'typebox';
import { literals, nullable, optional } from '../syscalls/declare.ts';
import { HilRequest, InputMode } from '../syscalls/proc.ts';
import { idKey } from './message-id.ts';

const text = Type.String();
const Time = Type.Integer({ minimum: 0 });
const Tokens = Type.Number({ minimum: 0 });

export const Usage = Type.Object({
  input: Tokens,
  output: Tokens,
  cacheRead: Tokens,
  cacheWrite: Tokens,
  cost: Type.Number(),
});
export type Usage = Static<typeof Usage>;

const TextBlock = Type.Object({ type: Type.Literal('text'), text });
const ImageBlock = Type.Object({ type: Type.Literal('image'), data: text, mimeType: text });
const ThinkingBlock = Type.Object({
  type: Type.Literal('thinking'),
  thinking: text,
  signature: optional(text),
});
const ToolCallBlock = Type.Object({
  type: Type.Literal('toolCall'),
  id: text,
  name: text,
  arguments: Type.Record(Type.String(), Type.Unknown()),
  signature: optional(text),
});

const Length = optional(Type.Integer({ minimum: 0 }));
/** What was attached, or an image that a tool has read: its bytes are the file at `path`. Sizes in bytes and pixels. */
export const MediaBlock = Type.Object({
  type: Type.Literal('media'),
  kind: literals(['image', 'audio', 'video', 'document']),
  path: text,
  name: text,
  mimeType: text,
  size: Type.Integer({ minimum: 0 }),
  width: Length,
  height: Length,
  durationMs: Length,
  /** What is said in it. */
  transcription: optional(text),
});
export type MediaBlock = Static<typeof MediaBlock>;
/** The blocks of a message, in the shapes of `kernel/ports/models.ts`, and media. */
export const Block = Type.Union([TextBlock, ImageBlock, ThinkingBlock, ToolCallBlock, MediaBlock]);
export type Block = Static<typeof Block>;

/** A budget that is used up; `raised` is what a person allowed one run beyond it. */
export const Reached = Type.Object({
  scope: literals(['run', 'process', 'day', 'month', 'raised']),
  unit: literals(['tokens', 'cost']),
  limit: Type.Number(),
  used: Type.Number(),
});
export type Reached = Static<typeof Reached>;
/** What a person lets one run use, whatever the budgets say: tokens, and US dollars. */
export const Raise = Type.Object({ tokens: optional(Tokens), cost: optional(Tokens) });
export type Raise = Static<typeof Raise>;

/**
 * One stored message. `content` holds text and images for users and tool results, text, thinking and tool calls for
 * assistants, one text for system notes.
 */
export const MessageRow = Type.Object({
  id: Type.Integer({ minimum: 1 }),
  generation: Type.Integer({ minimum: 0 }),
  role: literals(['user', 'assistant', 'system', 'toolResult']),
  content: Type.Array(Block),
  timestamp: Time,
  runId: nullable(text),
  /** Users only: the id under which it was queued, the same wherever it was begun. */
  messageId: optional(text),
  /** Users only: it is no person's words but something that happened; its text begins with `eventPrefix`. */
  origin: optional(Type.Literal('event')),
  /** Assistants only. */
  provider: optional(text),
  model: optional(text),
  usage: optional(nullable(Usage)),
  stop: optional(literals(['stop', 'length', 'toolUse', 'aborted', 'error'])),
  /** Tool results only. */
  toolCallId: optional(text),
  /** The idempotency key of the call. */
  key: optional(text),
  toolName: optional(text),
  syscall: optional(text),
  target: optional(text),
  isError: optional(Type.Boolean()),
  durationMs: optional(Type.Number()),
  /** System notes only: why the note stands here. */
  note: optional(literals(['error', 'aborted', 'limit', 'event', 'summary'])),
  /** Summaries only: the segment of the archive that they stand for. */
  segmentId: optional(text),
  /** The budgets that stopped the run. */
  budgets: optional(Type.Array(Reached)),
});
export type MessageRow = Static<typeof MessageRow>;

/** A tool call of the turn that is going on. `key` is the idempotency key it is executed under. */
export const CallRow = Type.Object({
  callId: text,
  key: text,
  toolName: text,
  syscall: nullable(text),
  target: text,
  args: Type.Record(Type.String(), Type.Unknown()),
  status: literals(['ready', 'asking', 'running', 'done']),
  startedAt: nullable(Time),
  finishedAt: nullable(Time),
  /** A person allowed it; it is not asked for again. */
  approved: optional(Type.Boolean()),
});
export type CallRow = Static<typeof CallRow>;

/** The outcome of a call that is done, until the message that holds it is written with those of its siblings. */
export const ResultRow = Type.Object({
  content: Type.Array(Type.Union([TextBlock, ImageBlock, MediaBlock])),
  isError: Type.Boolean(),
});
export type ResultRow = Static<typeof ResultRow>;

export const RunRow = Type.Object({
  runId: text,
  /** The replica that does it. */
  owner: text,
  /** Of the lease under which it goes on; null when it began where none was needed. */
  epoch: nullable(Type.Integer({ minimum: 1 })),
  /** After how many connections to the room it began without a lease: nobody else knows of it before the next one. */
  apart: optional(Type.Integer({ minimum: 0 })),
  generation: Type.Integer({ minimum: 0 }),
  startedAt: Time,
  phase: literals(['generating', 'tools']),
  /** Model calls made so far. */
  turns: Type.Integer({ minimum: 0 }),
  /** The last tool call's signature and how often it came in a row. */
  repeated: Type.Object({ signature: text, count: Type.Integer({ minimum: 0 }) }),
  usage: Usage,
  provider: text,
  model: text,
  calls: Type.Array(CallRow),
  raised: optional(Raise),
  /** What an answer that was cut has said so far; it is gone on with. */
  cut: optional(Type.String()),
  /** Messages from process to process that led here since a person, a schedule or a signal did. */
  hops: optional(Type.Integer({ minimum: 0 })),
  /** The conversation was reset elsewhere by somebody who could not stop it: it ends. */
  reset: optional(Type.Boolean()),
});
export type RunRow = Static<typeof RunRow>;

/** The approval that a run waits for, with what a person needs to judge it. */
export const HilRow = Type.Object({
  ...HilRequest.properties,
  target: text,
  /** Words for why it asks: `destructive`, `network`, … (FACTS, "Approval policy"). */
  tags: Type.Array(text),
  /** The parsed commands, one line each; empty for calls that are not commands. */
  commands: Type.Array(text),
  /** What "Remember" would allow: leading words of the command. Empty where it cannot be narrow, and is not offered. */
  remember: Type.Array(text),
});
export type HilRow = Static<typeof HilRow>;

/** How the last run ended. */
export const LastRow = Type.Object({
  runId: text,
  status: literals(['ok', 'error', 'aborted']),
  usage: Usage,
  startedAt: Time,
  finishedAt: Time,
  turns: Type.Integer({ minimum: 0 }),
});
export type LastRow = Static<typeof LastRow>;

/** Of a queued message: what can be changed until it is read. `before`: another one, or null for the end. */
export const QueueChange = Type.Object({
  text: optional(text),
  mode: optional(InputMode),
  before: optional(nullable(text)),
});
export type QueueChange = Static<typeof QueueChange>;

export const QueueRow = Type.Object({
  messageId: text,
  runId: text,
  text,
  media: optional(Type.Array(MediaBlock)),
  queuedAt: Time,
  /** As in `MessageRow`. */
  origin: optional(Type.Literal('event')),
  /** When it is read while a run goes on; without it, as `steer`. */
  mode: optional(InputMode),
  /** As in `RunRow`. */
  hops: optional(Type.Integer({ minimum: 0 })),
  /** Where it stands among the others; without it, where its key says. */
  rank: optional(Type.Number()),
  /** The run that it ends. */
  interrupts: optional(text),
  /** The replica that queued it. */
  by: optional(text),
  /** It was queued while its replica was cut off from the others, after this many connections. */
  apart: optional(Type.Integer({ minimum: 0 })),
});
export type QueueRow = Static<typeof QueueRow>;

/** Who has taken a run over, under its id, with the keys of its open calls. A run of another owner with a lower epoch is over. */
export const TakenRow = Type.Object({
  owner: text,
  epoch: Type.Integer({ minimum: 1 }),
  calls: Type.Array(text),
});
export type TakenRow = Static<typeof TakenRow>;

/** What one replica asks of the owner of a run. */
export const Ask = Type.Union([
  Type.Object({ kind: Type.Literal('abort'), runId: text }),
  Type.Object({ kind: Type.Literal('answer'), requestId: text, approve: Type.Boolean() }),
  Type.Object({ kind: Type.Literal('unqueue'), messageId: text }),
  Type.Object({ kind: Type.Literal('requeue'), messageId: text, change: QueueChange }),
]);
export type Ask = Static<typeof Ask>;
/** What came of it; `done` is false when there was nothing to do any more. */
export const Outcome = Type.Object({
  done: Type.Boolean(),
  text: optional(text),
  interrupted: optional(Type.Integer({ minimum: 0 })),
  continued: optional(text),
});
export type Outcome = Static<typeof Outcome>;
/** Under `<owner>/<id>`: the asker writes it, the owner carries it out and puts the outcome in, the asker deletes it. */
export const RequestRow = Type.Object({ from: text, at: Time, ask: Ask, outcome: nullable(Outcome) });
export type RequestRow = Static<typeof RequestRow>;

/** What had been streamed of the current message some seconds ago; a page that opens late begins with it. */
export const PartialRow = Type.Object({ runId: text, turn: Type.Integer(), text, thinking: text });
export type PartialRow = Static<typeof PartialRow>;

/** How full the model's window is; tokens by part of the prompt. */
export const ContextRow = Type.Object({
  tokens: Tokens,
  window: Tokens,
  pressure: Type.Number(),
  level: literals(['ok', 'warn', 'critical', 'full']),
  parts: Type.Object({ system: Tokens, home: Tokens, skills: Tokens, tools: Tokens, history: Tokens }),
});
export type ContextRow = Static<typeof ContextRow>;

/**
 * What one replica has written to one segment of one generation, under `<generation>/<segment>/<writer>`: how many
 * messages, and the base after the last of them. Each replica writes its own rows alone.
 */
export const LogRow = Type.Object({
  count: Type.Integer({ minimum: 0 }),
  end: Type.Integer({ minimum: 1 }),
});
export type LogRow = Static<typeof LogRow>;

/**
 * Part of a conversation that was archived; the key is its id. `dropped` is a compaction's: by `<segment>/<writer>`, the
 * newest message that is in an archive by now, and how many there are until then.
 */
export const SegmentRow = Type.Object({
  id: text,
  kind: literals(['compaction', 'reset']),
  generation: Type.Integer({ minimum: 0 }),
  fromMessageId: Type.Integer({ minimum: 0 }),
  toMessageId: Type.Integer({ minimum: 0 }),
  /** The newest message that there was. */
  liveThrough: Type.Integer({ minimum: 0 }),
  messages: Type.Integer({ minimum: 0 }),
  archivePath: text,
  /** What stands for it in the conversation. */
  summary: text,
  dropped: Type.Record(
    Type.String(),
    Type.Object({ through: Type.Integer({ minimum: 0 }), count: Type.Integer({ minimum: 0 }) }),
  ),
  createdAt: Time,
});
export type SegmentRow = Static<typeof SegmentRow>;

/**
 * What of a generation a reset archived: how many messages by `<segment>/<writer>`, and the last one of each. What a
 * replica has beyond that was not known. Rows of older versions have no `through`.
 */
export const ArchivedRow = Type.Object({
  counts: Type.Record(Type.String(), Type.Integer({ minimum: 0 })),
  through: optional(Type.Record(Type.String(), Type.Integer({ minimum: 0 }))),
});
export type ArchivedRow = Static<typeof ArchivedRow>;

/**
 * Keys of the `conversation` view: `m:<id, 16 digits>` messages, `q:<order>` queued messages, and the single rows
 * `run`, `hil`, `partial`, `context`, `last` (the usage and duration of the last finished run).
 */
export const messageKey = (id: number): string => `m:${idKey(id)}`;
