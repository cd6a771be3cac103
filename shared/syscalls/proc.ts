import { Type } from 'typebox';
import {
  Count,
  declare,
  Empty,
  literals,
  Name,
  nullable,
  OperationError,
  optional,
  record,
  Time,
} from './declare.ts';
import { MediaRef } from './media.ts';

export const Pid = Type.String({ minLength: 1, maxLength: 128 });
/** Also part of a path. */
export const ConversationId = Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$' });
const pid = optional(Pid);
const conversationId = optional(ConversationId);
const ok = Type.Literal(true);

/** `init task review cron mcp app`, or `package#profile`. */
export const Profile = Type.String({
  pattern: '^(init|task|review|cron|mcp|app|[a-z0-9-]+#[a-z0-9-]+)$',
  maxLength: 128,
});

/**
 * When a message is read that comes while a run goes on: `queue` after the run, `steer` where its next tool results go
 * back to the model, `interrupt` at once, the run is stopped for it.
 */
export const InputMode = literals(['queue', 'steer', 'interrupt']);
export type InputMode = Type.Static<typeof InputMode>;
const Message = Type.String({ minLength: 1, maxLength: 1024 * 1024 });

export const ProcessIdentity = record({
  uid: Count,
  gid: Count,
  gids: Type.Array(Count),
  username: Name,
  home: Name,
  cwd: Type.String({ minLength: 1, maxLength: 4096 }),
  workspaceId: nullable(Name),
});
export type ProcessIdentity = Type.Static<typeof ProcessIdentity>;

export const HilRequest = record({
  requestId: Name,
  runId: Name,
  conversationId,
  callId: Name,
  toolName: Name,
  syscall: Name,
  args: Type.Record(Type.String(), Type.Unknown()),
  createdAt: Time,
});
export type HilRequest = Type.Static<typeof HilRequest>;

export const ArchiveEntry = record({
  conversationId: Name,
  generation: Count,
  messages: Count,
  path: Type.String(),
});
/** What of a process went into its archive. */
const Archived = record({
  ok,
  pid: Pid,
  archivedMessages: Count,
  archivedTo: optional(Type.String()),
  archives: Type.Array(ArchiveEntry),
});

export const ContextState = record({
  tokens: Count,
  window: Count,
  pressure: Type.Number({ minimum: 0 }),
  level: literals(['ok', 'warn', 'critical', 'full']),
});
export type ContextState = Type.Static<typeof ContextState>;

export const HistoryMessage = record({
  id: Count,
  role: literals(['user', 'assistant', 'system', 'toolResult']),
  content: Type.Unknown(),
  timestamp: optional(Time),
  runId: optional(Name),
});

export type HistoryMessage = Type.Static<typeof HistoryMessage>;

const ContextFile = record({ name: Name, text: Type.String({ maxLength: 256 * 1024 }) });
const Assignment = record({
  contextFiles: Type.Array(ContextFile, { maxItems: 64 }),
  autoStart: optional(Type.Boolean()),
});
export const Workspace = Type.Union([
  record({ mode: Type.Literal('none') }),
  record({
    mode: Type.Literal('new'),
    label: optional(Name),
    kind: optional(literals(['thread', 'app', 'shared'])),
  }),
  record({ mode: Type.Literal('inherit') }),
  record({ mode: Type.Literal('attach'), workspaceId: Name }),
]);

export const procSyscalls = {
  'proc.list': declare({
    doc: 'Lists processes: the caller’s own, or those of `uid`; root sees all by default.',
    args: record({ uid: optional(Count) }),
    result: record({
      processes: Type.Array(
        record({
          pid: Pid,
          uid: Count,
          profile: Profile,
          parentPid: nullable(Pid),
          state: Type.String(),
          label: nullable(Type.String()),
          createdAt: Time,
          workspaceId: nullable(Name),
          cwd: Type.String(),
        }),
      ),
    }),
    audience: 'user',
    effect: 'read',
    routable: false,
  }),
  'proc.profile.list': declare({
    doc: 'Lists the profiles that a process can be spawned with.',
    args: Empty,
    result: record({
      profiles: Type.Array(
        record({
          id: Profile,
          alias: optional(Name),
          kind: literals(['system', 'package']),
          displayName: Name,
          description: optional(Type.String()),
          interactive: Type.Boolean(),
          startable: Type.Boolean(),
          background: Type.Boolean(),
          spawnMode: literals(['singleton', 'new']),
          packageId: optional(Name),
          packageName: optional(Name),
        }),
      ),
    }),
    audience: 'user',
    effect: 'read',
    routable: false,
  }),
  'proc.spawn': declare({
    doc: 'Starts a process and, with `prompt`, its first run. `init` is one per user; other profiles get a new pid.',
    args: record({
      profile: Profile,
      label: optional(Type.String({ maxLength: 200 })),
      prompt: optional(Message),
      assignment: optional(Assignment),
      parentPid: optional(Pid),
      workspace: optional(Workspace),
    }),
    result: Type.Union([
      record({
        ok,
        pid: Pid,
        label: optional(Type.String()),
        profile: Profile,
        workspaceId: nullable(Name),
        cwd: Type.String(),
      }),
      OperationError,
    ]),
    audience: 'user',
    effect: 'write',
    routable: false,
  }),
  'proc.send': declare({
    doc: 'Gives a process a message, with `media` that were stored before (`proc.media.put`) or are files of the caller’s. Answers after the message is stored; `queued` when a run is already going on. `mode` says when it is read then: after the run, at its next step, or at once, the run being stopped; the setting `ai/input_mode` without it.',
    args: record({
      pid,
      conversationId,
      message: Type.String({ maxLength: 1024 * 1024 }),
      media: optional(Type.Array(MediaRef, { maxItems: 20 })),
      mode: optional(InputMode),
    }),
    result: Type.Union([
      record({ ok, status: Type.Literal('started'), runId: Name, queued: optional(Type.Boolean()) }),
      OperationError,
    ]),
    audience: 'user',
    effect: 'write',
    routable: false,
  }),
  'proc.abort': declare({
    doc: 'Stops the active run, of one conversation where it is named. Open tool calls end as interrupted; the next queued message starts a new run.',
    args: record({ pid, conversationId }),
    result: Type.Union([
      record({
        ok,
        pid: Pid,
        aborted: Type.Boolean(),
        runId: optional(Name),
        interruptedToolCalls: optional(Count),
        continuedQueuedRunId: optional(Name),
      }),
      OperationError,
    ]),
    audience: 'user',
    effect: 'write',
    routable: false,
  }),
  'proc.hil': declare({
    doc: 'Answers an approval request. `remember` with approve allows the same command on the same kind of target from now on.',
    args: record({
      pid,
      conversationId,
      requestId: Name,
      decision: literals(['approve', 'deny']),
      remember: optional(Type.Boolean()),
    }),
    result: Type.Union([
      record({
        ok,
        pid: Pid,
        requestId: Name,
        decision: literals(['approve', 'deny']),
        resumed: Type.Boolean(),
        remembered: optional(Type.Boolean()),
        pendingHil: optional(nullable(HilRequest)),
      }),
      OperationError,
    ]),
    audience: 'person',
    effect: 'write',
    routable: false,
  }),
  'proc.kill': declare({
    doc: 'Ends a process: archives its history unless `archive` is false, stops its run and clears its state.',
    args: record({ pid: Pid, archive: optional(Type.Boolean()) }),
    result: Type.Union([Archived, OperationError]),
    audience: 'user',
    effect: 'write',
    routable: false,
  }),
  'proc.history': declare({
    doc: 'Reads stored messages, oldest first. `offset` counts from the start; without it the newest `limit` are returned.',
    args: record({
      pid,
      conversationId,
      limit: optional(Type.Integer({ minimum: 1, maximum: 1000 })),
      offset: optional(Count),
    }),
    result: Type.Union([
      record({
        ok,
        pid: Pid,
        conversationId: optional(Name),
        messages: Type.Array(HistoryMessage),
        messageCount: Count,
        truncated: optional(Type.Boolean()),
        pendingHil: optional(nullable(HilRequest)),
        context: optional(nullable(ContextState)),
      }),
      OperationError,
    ]),
    audience: 'user',
    effect: 'read',
    routable: false,
  }),
  'proc.reset': declare({
    doc: 'Archives and clears every conversation of a process and starts a new generation of each.',
    args: record({ pid }),
    result: Type.Union([Archived, OperationError]),
    audience: 'user',
    effect: 'write',
    routable: false,
  }),
  'proc.setidentity': declare({
    doc: 'Gives a new process its identity, profile and assignment. The kernel alone calls it.',
    args: record({ pid: Pid, identity: ProcessIdentity, profile: Profile, assignment: optional(Assignment) }),
    result: record({ ok, startedRunId: optional(Name) }),
    audience: 'kernel',
    effect: 'write',
    routable: false,
  }),
  'proc.queue.remove': declare({
    doc: 'Takes a queued message back before its run starts.',
    args: record({ pid, conversationId, messageId: Name }),
    result: Type.Union([
      record({ ok, removed: Type.Boolean(), message: optional(Type.String()) }),
      OperationError,
    ]),
    audience: 'user',
    effect: 'write',
    routable: false,
  }),
  'proc.queue.update': declare({
    doc: 'Changes a queued message before it is read: its text, or when it is read.',
    args: record({
      pid,
      conversationId,
      messageId: Name,
      message: optional(Message),
      mode: optional(InputMode),
    }),
    result: Type.Union([record({ ok, updated: Type.Boolean() }), OperationError]),
    audience: 'user',
    effect: 'write',
    routable: false,
  }),
  'proc.queue.move': declare({
    doc: 'Moves a queued message before another one of its queue, or to the end.',
    args: record({ pid, conversationId, messageId: Name, before: nullable(Name) }),
    result: Type.Union([record({ ok, moved: Type.Boolean() }), OperationError]),
    audience: 'user',
    effect: 'write',
    routable: false,
  }),
  'proc.retry': declare({
    doc: 'Runs the last message again after a run that ended with an error.',
    args: record({ pid, conversationId }),
    result: Type.Union([record({ ok, runId: Name }), OperationError]),
    audience: 'user',
    effect: 'write',
    routable: false,
  }),
  'proc.takeover': declare({
    doc: 'Goes on here with a run whose browser is gone; refused while another browser holds it and is connected, unless `force`.',
    args: record({ pid, conversationId, force: optional(Type.Boolean()) }),
    result: Type.Union([record({ ok, runId: Name }), OperationError]),
    audience: 'person',
    effect: 'write',
    routable: false,
  }),
  'proc.export': declare({
    doc: 'Writes a conversation of a process as one text, Markdown for people or JSON for programs.',
    args: record({ pid, conversationId, format: literals(['markdown', 'json']) }),
    result: Type.Union([record({ ok, name: Type.String(), text: Type.String() }), OperationError]),
    audience: 'user',
    effect: 'read',
    routable: false,
  }),
  'proc.approval.list': declare({
    doc: 'Lists the approvals that the caller has asked to be remembered.',
    args: Empty,
    result: record({
      approvals: Type.Array(
        record({
          approvalId: Name,
          syscall: Name,
          target: literals(['gsv', 'device']),
          words: Type.Array(Type.String()),
          createdAt: Time,
        }),
      ),
    }),
    audience: 'user',
    effect: 'read',
    routable: false,
  }),
  'proc.approval.revoke': declare({
    doc: 'Forgets one remembered approval.',
    args: record({ approvalId: Name }),
    result: record({ revoked: Type.Boolean() }),
    audience: 'person',
    effect: 'write',
    routable: false,
  }),
};
