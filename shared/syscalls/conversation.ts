import { Type } from 'typebox';
import {
  Count,
  declare,
  literals,
  Name,
  nullable,
  OperationError,
  optional,
  record,
  Time,
} from './declare.ts';
import { ConversationId, HistoryMessage } from './proc.ts';

const Pid = Type.String({ minLength: 1, maxLength: 128 });
const pid = optional(Pid);
const conversationId = optional(ConversationId);
const ok = Type.Literal(true);
const Title = Type.String({ maxLength: 200 });

/** What happens when a conversation no longer fits the model's window (FACTS, Numbers). */
export const ContextPolicy = record({
  overflow: literals(['manual', 'auto-compact', 'fail']),
  /** Of the window, from which on it is compacted. */
  compactAtPressure: Type.Number({ minimum: 0.05, maximum: 1 }),
  /** Newest messages that stay. */
  keepLast: Type.Integer({ minimum: 1, maximum: 10_000 }),
});
export type ContextPolicy = Type.Static<typeof ContextPolicy>;

export const ConversationInfo = record({
  id: ConversationId,
  generation: Count,
  status: literals(['open', 'closed']),
  title: nullable(Type.String()),
  messageCount: Count,
  /** It never leaves this device. */
  private: optional(Type.Boolean()),
  createdAt: Time,
  updatedAt: Time,
});
export type ConversationInfo = Type.Static<typeof ConversationInfo>;

export const ConversationSegment = record({
  id: Name,
  conversationId: ConversationId,
  generation: Count,
  kind: literals(['compaction', 'reset']),
  fromMessageId: Count,
  toMessageId: Count,
  messages: Count,
  archivePath: Type.String(),
  summaryMessageId: nullable(Count),
  createdAt: Time,
});
export type ConversationSegment = Type.Static<typeof ConversationSegment>;

const Summary = Type.String({ minLength: 1, maxLength: 200_000 });
const policyResult = Type.Union([record({ ok, pid: Pid, policy: ContextPolicy }), OperationError]);

export const conversationSyscalls = {
  'proc.conversation.open': declare({
    doc: 'Makes a conversation of a process, or opens a closed one again. Without `conversationId` it gets a new id; `title` is stored.',
    args: record({ pid, conversationId, title: optional(Title) }),
    result: Type.Union([
      record({ ok, pid: Pid, conversation: ConversationInfo, created: Type.Boolean() }),
      OperationError,
    ]),
    audience: 'user',
    effect: 'write',
    routable: false,
  }),
  'proc.conversation.list': declare({
    doc: 'Lists the conversations of a process, the newest used first; closed ones too with `includeClosed`.',
    args: record({ pid, includeClosed: optional(Type.Boolean()) }),
    result: Type.Union([
      record({ ok, pid: Pid, conversations: Type.Array(ConversationInfo) }),
      OperationError,
    ]),
    audience: 'user',
    effect: 'read',
    routable: false,
  }),
  'proc.conversation.get': declare({
    doc: 'One conversation of a process, `default` unless another is named; null when there is none of that id.',
    args: record({ pid, conversationId }),
    result: Type.Union([record({ ok, pid: Pid, conversation: nullable(ConversationInfo) }), OperationError]),
    audience: 'user',
    effect: 'read',
    routable: false,
  }),
  'proc.conversation.pin': declare({
    doc: 'Pins a conversation to this device, or frees it: pinned, a model of this device answers it, no network tool runs unasked, and other browsers and the room get nothing more of it.',
    args: record({ pid, conversationId, private: Type.Boolean() }),
    result: Type.Union([
      record({ ok, pid: Pid, conversationId: Name, private: Type.Boolean() }),
      OperationError,
    ]),
    audience: 'person',
    effect: 'write',
    routable: false,
  }),
  'proc.conversation.close': declare({
    doc: 'Closes a conversation without deleting anything; it takes no message until it is opened again.',
    args: record({ pid, conversationId: ConversationId }),
    result: Type.Union([
      record({ ok, pid: Pid, conversationId: Name, closed: Type.Boolean() }),
      OperationError,
    ]),
    audience: 'user',
    effect: 'write',
    routable: false,
  }),
  'proc.conversation.reset': declare({
    doc: 'Archives and clears one conversation, and begins its next generation; others stay as they are. `archive: false` keeps nothing. A summary, given or made by the model, is carried into the new one.',
    args: record({
      pid,
      conversationId,
      archive: optional(Type.Boolean()),
      summary: optional(Summary),
      generateSummary: optional(Type.Boolean()),
    }),
    result: Type.Union([
      record({
        ok,
        pid: Pid,
        conversationId: Name,
        generation: Count,
        archivedMessages: Count,
        archivedTo: optional(Type.String()),
      }),
      OperationError,
    ]),
    audience: 'user',
    effect: 'write',
    routable: false,
  }),
  'proc.conversation.policy.get': declare({
    doc: 'What happens when a conversation no longer fits the model’s window.',
    args: record({ pid, conversationId }),
    result: policyResult,
    audience: 'user',
    effect: 'read',
    routable: false,
  }),
  'proc.conversation.policy.set': declare({
    doc: 'Sets what happens when a conversation no longer fits: `manual` leaves the oldest out, `auto-compact` archives them behind a summary before a model call, `fail` ends the run.',
    args: record({
      pid,
      conversationId,
      overflow: optional(ContextPolicy.properties.overflow),
      compactAtPressure: optional(ContextPolicy.properties.compactAtPressure),
      keepLast: optional(ContextPolicy.properties.keepLast),
    }),
    result: policyResult,
    audience: 'user',
    effect: 'write',
    routable: false,
  }),
  'proc.conversation.compact': declare({
    doc: 'Archives the beginning of a conversation and puts a summary in its place, given or made by the model: all but `keepLast` messages, or those through `throughMessageId`. A call and its results stay together.',
    args: record({
      pid,
      conversationId,
      summary: optional(Summary),
      generateSummary: optional(Type.Boolean()),
      keepLast: optional(Count),
      throughMessageId: optional(Count),
    }),
    result: Type.Union([
      record({
        ok,
        pid: Pid,
        conversationId: Name,
        segment: ConversationSegment,
        archivedMessages: Count,
        archivedTo: Type.String(),
        summaryMessageId: Count,
      }),
      OperationError,
    ]),
    audience: 'user',
    effect: 'write',
    routable: false,
  }),
  'proc.conversation.fork': declare({
    doc: 'Copies a conversation through a message into a new one, or what a segment of the archive held, with what followed it then unless `includeLiveSuffix` is false.',
    args: record({
      pid,
      conversationId,
      segmentId: optional(Name),
      throughMessageId: optional(Count),
      targetConversationId: optional(ConversationId),
      title: optional(Title),
      includeLiveSuffix: optional(Type.Boolean()),
    }),
    result: Type.Union([
      record({
        ok,
        pid: Pid,
        sourceConversationId: Name,
        targetConversation: ConversationInfo,
        segment: optional(ConversationSegment),
        throughMessageId: optional(Count),
        restoredMessages: Count,
        includedLiveSuffix: Type.Boolean(),
      }),
      OperationError,
    ]),
    audience: 'user',
    effect: 'write',
    routable: false,
  }),
  'proc.conversation.segments': declare({
    doc: 'Lists what was archived of a conversation, the oldest first: compactions and ended generations.',
    args: record({ pid, conversationId }),
    result: Type.Union([
      record({ ok, pid: Pid, conversationId: Name, segments: Type.Array(ConversationSegment) }),
      OperationError,
    ]),
    audience: 'user',
    effect: 'read',
    routable: false,
  }),
  'proc.conversation.segment.read': declare({
    doc: 'Reads archived messages of a segment, oldest first, without bringing them back.',
    args: record({
      pid,
      conversationId,
      segmentId: Name,
      limit: optional(Type.Integer({ minimum: 1, maximum: 1000 })),
      offset: optional(Count),
    }),
    result: Type.Union([
      record({
        ok,
        pid: Pid,
        conversationId: Name,
        segment: ConversationSegment,
        messages: Type.Array(HistoryMessage),
        messageCount: Count,
        truncated: optional(Type.Boolean()),
      }),
      OperationError,
    ]),
    audience: 'user',
    effect: 'read',
    routable: false,
  }),
  'proc.conversation.checkpoint': declare({
    doc: 'Writes a conversation into the workspace of its process: `.gsv/summary.md` where there is a summary, and the messages and segments as JSON lines.',
    args: record({
      pid,
      conversationId,
      summary: optional(Summary),
      generateSummary: optional(Type.Boolean()),
    }),
    result: Type.Union([
      record({ ok, pid: Pid, conversationId: Name, files: Type.Array(Type.String()), messages: Count }),
      OperationError,
    ]),
    audience: 'user',
    effect: 'write',
    routable: false,
  }),
  'proc.search': declare({
    doc: 'Searches messages, live and archived, of one conversation, one process, or all of the caller’s processes; the newest first. All words must be in a message, as parts of words too. `complete` is false when there is more, or the time was up.',
    args: record({
      pid,
      conversationId,
      query: Type.String({ minLength: 1, maxLength: 500 }),
      limit: optional(Type.Integer({ minimum: 1, maximum: 500 })),
    }),
    result: Type.Union([
      record({
        ok,
        matches: Type.Array(
          record({
            pid: Pid,
            conversationId: Name,
            title: nullable(Type.String()),
            messageId: Count,
            role: literals(['user', 'assistant', 'system', 'toolResult']),
            timestamp: Time,
            snippet: Type.String(),
            segmentId: nullable(Name),
          }),
        ),
        complete: Type.Boolean(),
      }),
      OperationError,
    ]),
    audience: 'user',
    effect: 'read',
    routable: false,
  }),
};
