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
import { ConversationId } from './proc.ts';

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
  createdAt: Time,
  updatedAt: Time,
});
export type ConversationInfo = Type.Static<typeof ConversationInfo>;

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
    doc: 'Archives and clears one conversation, and begins its next generation; others stay as they are. `archive: false` keeps nothing.',
    args: record({ pid, conversationId, archive: optional(Type.Boolean()) }),
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
};
