import { type Static, Type } from 'typebox';
import type * as Y from 'yjs';
import { ContextPolicy } from '../syscalls/conversation.ts';
import { literals, nullable, optional } from '../syscalls/declare.ts';
import { NotificationRecord } from '../syscalls/notification.ts';
import { PushSubscriptionFields } from '../syscalls/push.ts';
import { Usage } from './conversation.ts';
import { CallRow, EventRow, WatchRow } from './ipc.ts';
import { ScheduleRow, ScheduleRunRow, ScheduleStateRow } from './schedules.ts';
import { Table } from './table.ts';

const Uid = Type.Integer({ minimum: 0 });
const Count = Type.Integer({ minimum: 0 });
const Time = Type.Integer({ minimum: 0 });
const text = Type.String();

export const UserRow = Type.Object({
  uid: Uid,
  username: text,
  gid: Uid,
  gids: Type.Array(Uid),
  home: text,
  createdAt: Time,
});
export const GroupRow = Type.Object({
  gid: Uid,
  name: text,
  members: Type.Array(Uid),
  capabilities: Type.Array(text),
  /** What a built-in group was given by the kernel: that alone is taken back when a kernel gives it no more. */
  given: optional(Type.Array(text)),
});
export const ConfigRow = Type.Object({ value: text });
export const TokenRow = Type.Object({
  tokenId: text,
  /** Lower-case hexadecimal SHA-256 of the raw token. */
  hash: text,
  tokenPrefix: text,
  uid: Uid,
  kind: literals(['node', 'service', 'user']),
  label: nullable(text),
  allowedRole: nullable(literals(['user', 'driver', 'service'])),
  /** A device id, or `replica:<id>` for the token by which a kernel joins its room. */
  allowedDeviceId: nullable(text),
  createdAt: Time,
  lastUsedAt: nullable(Time),
  expiresAt: nullable(Time),
  revokedAt: nullable(Time),
  revokedReason: nullable(text),
});
export const DeviceRow = Type.Object({
  deviceId: text,
  ownerUid: Uid,
  ownerGid: Uid,
  description: text,
  platform: text,
  version: text,
  implements: Type.Array(text),
  online: Type.Boolean(),
  firstSeenAt: Time,
  lastSeenAt: Time,
  connectedAt: nullable(Time),
  disconnectedAt: nullable(Time),
});
/** The secret by which replicas and a device speak past their room, in base64url; the key is `deviceId`. */
export const DeviceKeyRow = Type.Object({ deviceId: text, secret: text, createdAt: Time });
/** Groups that may use a device beside its owner; the key is `deviceId`. */
export const AccessRow = Type.Object({ deviceId: text, gids: Type.Array(Uid) });
export const ShellSessionRow = Type.Object({ sessionId: text, deviceId: text, uid: Uid, createdAt: Time });
const TaskOutcome = literals(['ok', 'error', 'aborted', 'gone', 'timeout']);
export type TaskOutcome = Static<typeof TaskOutcome>;
/** What a process was made to do and report, within its limits. */
const Task = Type.Object({
  callId: text,
  /** Model calls of one run, and US dollars of all of its runs. */
  maxTurns: optional(Type.Integer({ minimum: 1 })),
  maxCost: optional(Type.Number({ minimum: 0 })),
  deadlineAt: Time,
  /** When and how it ended; null while it goes on. */
  endedAt: nullable(Time),
  outcome: optional(TaskOutcome),
});
export const ProcessRow = Type.Object({
  pid: text,
  uid: Uid,
  gid: Uid,
  gids: Type.Array(Uid),
  username: text,
  home: text,
  cwd: text,
  profile: text,
  parentPid: nullable(text),
  label: nullable(text),
  workspaceId: nullable(text),
  contextFiles: Type.Array(Type.Object({ name: text, text })),
  /** With `generation`, `queuedCount` and `updatedAt` as it was made; what has become of it stands in `process_states`. */
  state: literals(['idle', 'running', 'waiting', 'error', 'killed']),
  /** What it is doing, in words for a person; null when idle. */
  activity: nullable(text),
  conversationId: text,
  generation: Type.Integer({ minimum: 0 }),
  queuedCount: Type.Integer({ minimum: 0 }),
  createdAt: Time,
  updatedAt: Time,
  /** Of a child that another process delegated something to. */
  task: optional(Task),
});
/**
 * What goes on in a conversation, in the eyes of one replica, which alone writes it; the key is
 * `<pid>/<conversationId>/<writer>`. `kernel/proc/process-states.ts` joins them.
 */
export const ProcessStateRow = Type.Object({
  pid: text,
  conversationId: text,
  /** The number of the replica. */
  writer: Count,
  /** Of several where nothing goes on the highest one counts. */
  epoch: Count,
  state: literals(['idle', 'running', 'waiting', 'error']),
  /** The run that goes on. */
  runId: optional(text),
  queuedCount: Count,
  generation: Count,
  /** Messages of the generation, as they were when a run of it last ended here. */
  messageCount: optional(Count),
  updatedAt: Time,
});
/**
 * A conversation of a process; the key is `<pid>/<conversationId>`. The first one, `default`, is there without a row.
 */
export const ConversationRow = Type.Object({
  pid: text,
  conversationId: text,
  title: nullable(text),
  status: literals(['open', 'closed']),
  generation: Type.Integer({ minimum: 0 }),
  /** Null: the policy of FACTS. */
  policy: nullable(ContextPolicy),
  forkedFrom: nullable(
    Type.Object({ conversationId: text, messageId: nullable(Count), segmentId: nullable(text) }),
  ),
  createdAt: Time,
  updatedAt: Time,
  /** It never leaves this device: a model of this device answers, and the room does not get it. */
  private: optional(Type.Boolean()),
  /** From here on as in `process_states`, and written by older versions. */
  state: optional(literals(['idle', 'running', 'waiting', 'error'])),
  queuedCount: optional(Type.Integer({ minimum: 0 })),
  messageCount: optional(Type.Integer({ minimum: 0 })),
});
/** A remembered approval (FACTS, "Approval policy"). */
export const ApprovalRow = Type.Object({
  approvalId: text,
  uid: Uid,
  pid: optional(text),
  syscall: text,
  target: literals(['gsv', 'device']),
  words: Type.Array(text),
  createdAt: Time,
});

/** A browser that holds a copy of this GSV; the key is `replicaId`. Presence is the room's. */
export const ReplicaRow = Type.Object({
  replicaId: text,
  name: text,
  platform: text,
  /** The token by which it joins the room; null before it has one. */
  tokenId: nullable(text),
  joinedAt: Time,
  revokedAt: nullable(Time),
  /** Bytes that it stores, as it last said. */
  storage: nullable(Type.Integer({ minimum: 0 })),
});
/**
 * An invitation for one more browser; the key is `inviteId`. The room checks `hash`, the SHA-256 of what the
 * newcomer shows; `sealed` holds the secrets that the vaults share, under a key that only the link has.
 */
export const InviteRow = Type.Object({
  inviteId: text,
  hash: text,
  sealed: text,
  uid: Uid,
  createdAt: Time,
  expiresAt: Time,
});
/**
 * What one replica's model calls of one day used, for one process and model; the key is
 * `<day>/<writer>/<pid>/<provider>/<model>`. Each replica writes its own rows alone, so that sums lose nothing.
 */
export const UsageRow = Type.Object({
  /** `YYYY-MM-DD` in the time zone of the GSV. */
  day: text,
  /** The number of the replica. */
  writer: Type.Integer({ minimum: 0 }),
  uid: Uid,
  pid: text,
  provider: text,
  model: text,
  calls: Type.Integer({ minimum: 0 }),
  usage: Usage,
});
/** A directory below `/workspaces` that a process was given; the key is `workspaceId`. */
export const WorkspaceRow = Type.Object({
  workspaceId: text,
  ownerUid: Uid,
  label: nullable(text),
  kind: literals(['thread', 'app', 'shared']),
  state: literals(['active', 'archived']),
  createdAt: Time,
  updatedAt: Time,
});
export type WorkspaceRow = Static<typeof WorkspaceRow>;
/** How the room reaches a browser whose pages are closed; the key is `<replicaId>/<uid>`. */
export const PushRow = Type.Object({ replicaId: text, uid: Uid, createdAt: Time, ...PushSubscriptionFields });
export const NotificationRow = Type.Object({ uid: Uid, ...NotificationRecord.properties });

export type UserRow = Static<typeof UserRow>;
export type GroupRow = Static<typeof GroupRow>;
export type TokenRow = Static<typeof TokenRow>;
export type DeviceRow = Static<typeof DeviceRow>;
export type DeviceKeyRow = Static<typeof DeviceKeyRow>;
export type AccessRow = Static<typeof AccessRow>;
export type ShellSessionRow = Static<typeof ShellSessionRow>;
export type ProcessRow = Static<typeof ProcessRow>;
export type ProcessStateRow = Static<typeof ProcessStateRow>;
export type ConversationRow = Static<typeof ConversationRow>;
export type ApprovalRow = Static<typeof ApprovalRow>;
export type ReplicaRow = Static<typeof ReplicaRow>;
export type InviteRow = Static<typeof InviteRow>;
export type PushRow = Static<typeof PushRow>;
export type NotificationRow = Static<typeof NotificationRow>;
export type UsageRow = Static<typeof UsageRow>;

/** The tables of the `system` document. The room reads users, groups, config, tokens, devices, access, invites, notifications and push. */
export type SystemTables = ReturnType<typeof systemTables>;

export function systemTables(doc: Y.Doc) {
  return {
    users: new Table(doc, 'users', UserRow),
    groups: new Table(doc, 'groups', GroupRow),
    config: new Table(doc, 'config', ConfigRow),
    tokens: new Table(doc, 'tokens', TokenRow),
    devices: new Table(doc, 'devices', DeviceRow),
    deviceKeys: new Table(doc, 'device_keys', DeviceKeyRow),
    access: new Table(doc, 'access', AccessRow),
    shellSessions: new Table(doc, 'shell_sessions', ShellSessionRow),
    processes: new Table(doc, 'processes', ProcessRow),
    processStates: new Table(doc, 'process_states', ProcessStateRow),
    conversations: new Table(doc, 'conversations', ConversationRow),
    approvals: new Table(doc, 'approvals', ApprovalRow),
    replicas: new Table(doc, 'replicas', ReplicaRow),
    invites: new Table(doc, 'invites', InviteRow),
    notifications: new Table(doc, 'notifications', NotificationRow),
    push: new Table(doc, 'push', PushRow),
    usage: new Table(doc, 'usage', UsageRow),
    ipcCalls: new Table(doc, 'ipc_calls', CallRow),
    events: new Table(doc, 'events', EventRow),
    watches: new Table(doc, 'watches', WatchRow),
    schedules: new Table(doc, 'schedules', ScheduleRow),
    scheduleStates: new Table(doc, 'schedule_states', ScheduleStateRow),
    scheduleRuns: new Table(doc, 'schedule_runs', ScheduleRunRow),
    workspaces: new Table(doc, 'workspaces', WorkspaceRow),
  };
}

export const SYSTEM_DOC = 'system';
export const FS_DOC = 'fs';
