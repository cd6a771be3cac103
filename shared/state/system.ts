import { type Static, Type } from 'typebox';
import type * as Y from 'yjs';
import { ContextPolicy } from '../syscalls/conversation.ts';
import { literals, nullable, optional } from '../syscalls/declare.ts';
import { NotificationRecord } from '../syscalls/notification.ts';
import { ConfigRow, controlTables, isControlSetting, ReplicaWords, TokenWords } from './control.ts';
import { Usage } from './conversation.ts';
import { CallRow, EventRow, WatchRow } from './ipc.ts';
import { ScheduleRow, ScheduleRunRow, ScheduleStateRow } from './schedules.ts';
import { EpochRow, MemberRow, RecoveryRow, ResealRow, SecretRow, ShutOutRow } from './seal.ts';
import { SplitTable } from './split-table.ts';
import { Table } from './table.ts';
import { WordedTable } from './worded-table.ts';

const Uid = Type.Integer({ minimum: 0 });
const Count = Type.Integer({ minimum: 0 });
const Time = Type.Integer({ minimum: 0 });
const text = Type.String();

/** The secret by which replicas and a device speak past their room, in base64url; the key is `deviceId`. */
export const DeviceKeyRow = Type.Object({
  deviceId: text,
  secret: text,
  createdAt: Time,
  /** What processes are told about it: of a sealed GSV it stands where the room neither reads nor writes it. */
  description: optional(text),
});
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
export const NotificationRow = Type.Object({ uid: Uid, ...NotificationRecord.properties });

export type DeviceKeyRow = Static<typeof DeviceKeyRow>;
export type ShellSessionRow = Static<typeof ShellSessionRow>;
export type ProcessRow = Static<typeof ProcessRow>;
export type ProcessStateRow = Static<typeof ProcessStateRow>;
export type ConversationRow = Static<typeof ConversationRow>;
export type ApprovalRow = Static<typeof ApprovalRow>;
export type NotificationRow = Static<typeof NotificationRow>;
export type UsageRow = Static<typeof UsageRow>;

/**
 * The documents that the state of a GSV begins with. `control` is what the room reads; `epochs` holds keys for those
 * who lack them, each sealed for its reader; `system` is the rest, of which the room understands nothing but notifications.
 */
export type SystemDocs = { system: Y.Doc; control: Y.Doc; epochs: Y.Doc };
/** The tables of all. */
export type SystemTables = ReturnType<typeof systemTables>;

export function systemTables({ system, control, epochs }: SystemDocs) {
  const { config, tokens, replicas, ...ofControl } = controlTables(control);
  const tokenWords = new Table(system, 'token_words', TokenWords);
  const replicaWords = new Table(system, 'replica_words', ReplicaWords);
  return {
    ...ofControl,
    tokens: new WordedTable(tokens, tokenWords, { label: null, revokedReason: null }),
    replicas: new WordedTable(replicas, replicaWords, { name: '', platform: '' }),
    config: new SplitTable(isControlSetting, config, new Table(system, 'config', ConfigRow)),
    deviceKeys: new Table(system, 'device_keys', DeviceKeyRow),
    shellSessions: new Table(system, 'shell_sessions', ShellSessionRow),
    processes: new Table(system, 'processes', ProcessRow),
    processStates: new Table(system, 'process_states', ProcessStateRow),
    conversations: new Table(system, 'conversations', ConversationRow),
    approvals: new Table(system, 'approvals', ApprovalRow),
    notifications: new Table(system, 'notifications', NotificationRow),
    usage: new Table(system, 'usage', UsageRow),
    ipcCalls: new Table(system, 'ipc_calls', CallRow),
    events: new Table(system, 'events', EventRow),
    watches: new Table(system, 'watches', WatchRow),
    schedules: new Table(system, 'schedules', ScheduleRow),
    scheduleStates: new Table(system, 'schedule_states', ScheduleStateRow),
    scheduleRuns: new Table(system, 'schedule_runs', ScheduleRunRow),
    workspaces: new Table(system, 'workspaces', WorkspaceRow),
    members: new Table(system, 'members', MemberRow),
    shutOut: new Table(system, 'shut_out', ShutOutRow),
    recovery: new Table(system, 'recovery', RecoveryRow),
    reseals: new Table(system, 'reseals', ResealRow),
    secrets: new Table(system, 'secrets', SecretRow),
    epochs: new Table(epochs, 'epochs', EpochRow),
  };
}

export const SYSTEM_DOC = 'system';
export const FS_DOC = 'fs';
