import { Type } from 'typebox';
import { Count, declare, Name, OperationError, optional, record, Time } from './declare.ts';
import { Pid, ProcessIdentity, Profile, Workspace } from './proc.ts';

const ok = Type.Literal(true);
const Message = Type.String({ minLength: 1, maxLength: 256 * 1024 });
const Metadata = Type.Record(Type.String(), Type.Unknown());
const letter = {
  pid: Pid,
  conversationId: optional(Name),
  message: Message,
  metadata: optional(Metadata),
};
const delivered = {
  ok,
  status: Type.Literal('started'),
  pid: Pid,
  sourcePid: Pid,
  conversationId: Name,
  runId: Name,
  queued: optional(Type.Boolean()),
};
const Sent = Type.Union([record(delivered), OperationError]);

export const ipcSyscalls = {
  'proc.ipc.send': declare({
    doc: 'Sends a message to another process of the same owner. It begins a run there, or waits for one to end; nothing comes back.',
    args: record(letter),
    result: Sent,
    audience: 'process',
    effect: 'write',
    routable: false,
  }),
  'proc.ipc.call': declare({
    doc: 'Asks another process of the same owner. Answers when the request is stored; the last answer of the run that handles it comes later as an event `ipc.reply`, or `ipc.timeout` after `timeoutMs` (1 s to 10 min; 60 s unless given).',
    args: record({ ...letter, timeoutMs: optional(Count) }),
    result: Type.Union([record({ ...delivered, callId: Name, deadlineAt: Time }), OperationError]),
    audience: 'process',
    effect: 'write',
    routable: false,
  }),
  'proc.ipc.deliver': declare({
    doc: 'Brings a message or a request of one process to another. The kernel alone calls it.',
    args: record({
      ...letter,
      sourcePid: Pid,
      source: ProcessIdentity,
      sentAt: Time,
      call: optional(record({ callId: Name, replyToPid: Pid, deadlineAt: Time })),
    }),
    result: Sent,
    audience: 'kernel',
    effect: 'write',
    routable: false,
  }),
  'proc.delegate': declare({
    doc: 'Makes a child process that does one thing and reports: its last answer comes back as an event `delegate.result`, or `delegate.timeout` after `timeoutMs` (1 s to 24 h; 10 min unless given), when it is stopped. `maxTurns` bounds the model calls of each of its runs, `maxCost` (US dollars) all of them. Finished children are ended when there is no room for more.',
    args: record({
      prompt: Message,
      profile: optional(Profile),
      label: optional(Type.String({ maxLength: 200 })),
      workspace: optional(Workspace),
      timeoutMs: optional(Count),
      maxTurns: optional(Type.Integer({ minimum: 1, maximum: 1000 })),
      maxCost: optional(Type.Number({ minimum: 0 })),
    }),
    result: Type.Union([
      record({ ok, callId: Name, pid: Pid, runId: Name, deadlineAt: Time }),
      OperationError,
    ]),
    audience: 'process',
    effect: 'write',
    routable: false,
  }),
};

export const signalSyscalls = {
  'signal.watch': declare({
    doc: 'Tells the calling process of a signal from now on, as an event: `proc.*` signals of another process (`processId`), or `device.status`, `notification.*`. A watch of the same `key` is replaced. It lasts `ttlMs` (1 s to 30 days; 24 h unless given), and for one signal unless `once` is false; `state` is told back.',
    args: record({
      signal: Type.String({ pattern: '^[a-z]+(\\.[a-z_]+)*(\\.\\*)?$', maxLength: 64 }),
      processId: optional(Pid),
      key: optional(Name),
      state: optional(Type.Unknown()),
      once: optional(Type.Boolean()),
      ttlMs: optional(Count),
    }),
    result: record({
      watchId: Name,
      created: Type.Boolean(),
      createdAt: Time,
      expiresAt: Type.Union([Time, Type.Null()]),
    }),
    audience: 'process',
    effect: 'write',
    routable: false,
  }),
  'signal.unwatch': declare({
    doc: 'Ends watches of the calling process, by `watchId` or by `key`.',
    args: record({ watchId: optional(Name), key: optional(Name) }),
    result: record({ removed: Count }),
    audience: 'process',
    effect: 'write',
    routable: false,
  }),
};
