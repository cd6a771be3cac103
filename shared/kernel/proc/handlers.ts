import { SyscallError } from '../../protocol/errors.ts';
import type { ProcessRow, SystemTables } from '../../state/system.ts';
import type { Clock } from '../../std/clock.ts';
import type { Random } from '../../std/random.ts';
import type { OperationError } from '../../syscalls/declare.ts';
import type { ContextState, HilRequest } from '../../syscalls/proc.ts';
import { ROOT_UID } from '../auth/accounts.ts';
import type { FileSystem } from '../fs/file-system.ts';
import type { Caller, Handlers } from '../handler.ts';
import { archive } from './archive.ts';
import type { Conversation } from './conversation.ts';
import { exportConversation, historyMessage } from './export.ts';
import type { Process } from './process.ts';
import type { Processes } from './processes.ts';
import { systemProfiles } from './profiles.ts';
import { ensureInit, initPid, newRow, type SpawnParts, spawn } from './spawn.ts';

export type ProcHandlerParts = SpawnParts & {
  tables: SystemTables;
  processes: Processes;
  fs: FileSystem;
  clock: Clock;
  random: Random;
  flush(): Promise<void>;
};

type ProcName = Extract<keyof Handlers, `proc.${string}`>;
const DEFAULT_HISTORY = 200;
const TITLE_LENGTH = 60;

/** Errors of a process as results of its syscalls, not of the frame (spec/routing, "Failure Behavior"). */
async function asResult<T>(step: () => Promise<T>): Promise<T | OperationError> {
  try {
    return await step();
  } catch (thrown) {
    if (thrown instanceof SyscallError) return { ok: false, error: thrown.message };
    throw thrown;
  }
}

export function procHandlers(parts: ProcHandlerParts): Handlers<ProcName> {
  const { tables, processes, clock, flush } = parts;

  const find = (caller: Caller, pid = initPid(caller.identity.uid)): ProcessRow => {
    if (pid === initPid(caller.identity.uid)) return ensureInit(parts, caller.identity);
    return processes.demand(pid, caller.identity);
  };
  const withProcess = <T>(
    caller: Caller,
    pid: string | undefined,
    step: (process: Process, row: ProcessRow) => Promise<T>,
  ): Promise<T | OperationError> =>
    asResult(async () => {
      const row = find(caller, pid);
      return step(await processes.open(row), row);
    });
  const toArchive = (process: Process, row: ProcessRow) => () =>
    archive(parts.fs, row, process.conversation, archiveId(parts));

  return {
    'proc.list': async ({ uid }, { caller }) => {
      const own = caller.identity.uid;
      if (own !== ROOT_UID && uid !== undefined && uid !== own)
        throw new SyscallError(403, 'Permission denied');
      const wanted = own === ROOT_UID ? uid : own;
      const rows = processes.rows().filter((row) => wanted === undefined || row.uid === wanted);
      return { processes: rows.sort((a, b) => a.createdAt - b.createdAt).map(listed) };
    },
    'proc.profile.list': async () => ({ profiles: systemProfiles }),
    'proc.spawn': (args, { caller }) =>
      asResult(async () => {
        const parentPid = args.parentPid ?? (caller.origin.kind === 'process' ? caller.origin.pid : null);
        if (parentPid !== null) processes.demand(parentPid, caller.identity);
        const spawned = await spawn(parts, caller.identity, args, parentPid);
        if (!spawned.ok) return spawned;
        await flush();
        if (args.prompt) await (await processes.open(spawned.row)).send(args.prompt);
        const { pid, label, profile, workspaceId, cwd } = spawned.row;
        return { ok: true, pid, ...(label ? { label } : {}), profile, workspaceId, cwd };
      }),
    'proc.send': ({ pid, message }, { caller }) =>
      withProcess(caller, pid, async (process, row) => {
        const sent = await process.send(message);
        const label = row.label ?? message.trim().split('\n')[0]?.slice(0, TITLE_LENGTH) ?? null;
        if (label !== row.label) tables.processes.patch(row.pid, { label });
        return { ok: true, status: 'started', runId: sent.runId, ...(sent.queued ? { queued: true } : {}) };
      }),
    'proc.retry': ({ pid }, { caller }) =>
      withProcess(caller, pid, async (process) => ({ ok: true, runId: await process.retry() })),
    'proc.queue.remove': ({ pid, messageId }, { caller }) =>
      withProcess(caller, pid, async (process) => {
        const removed = await process.unqueue(messageId);
        return { ok: true, removed: removed !== undefined, ...(removed ? { message: removed.text } : {}) };
      }),
    'proc.abort': ({ pid }, { caller }) =>
      withProcess(caller, pid, async (process, row) => {
        const aborted = await process.abort();
        if (!aborted) return { ok: true, pid: row.pid, aborted: false };
        const { runId, interrupted, continued } = aborted;
        const next = continued ? { continuedQueuedRunId: continued } : {};
        return { ok: true, pid: row.pid, aborted: true, runId, interruptedToolCalls: interrupted, ...next };
      }),
    'proc.hil': ({ pid, requestId, decision, remember }, { caller }) =>
      withProcess(caller, pid, async (process, row) => {
        const asked = process.asked(requestId);
        if (!asked) return { ok: false, error: 'This approval is not open any more' };
        const remembered = decision === 'approve' && remember === true && asked.remember.length > 0;
        if (remembered) {
          const approvalId = parts.random.uuid();
          const { syscall, remember: words } = asked;
          const target = asked.target === 'gsv' ? 'gsv' : 'device';
          tables.approvals.put(approvalId, {
            approvalId,
            uid: row.uid,
            syscall,
            target,
            words,
            createdAt: clock.now(),
          });
        }
        const resumed = await process.answer(requestId, decision === 'approve');
        const pendingHil = pendingOf(process.conversation);
        return {
          ok: true,
          pid: row.pid,
          requestId,
          decision,
          resumed,
          ...(remembered ? { remembered } : {}),
          pendingHil,
        };
      }),
    'proc.kill': ({ pid, archive: keep = true }, { caller }) =>
      withProcess(caller, pid, async (process, row) => {
        const kept = keep ? toArchive(process, row) : async () => null;
        const archived = await (row.profile === 'init' ? process.empty(kept) : process.end(kept));
        if (row.profile !== 'init') processes.remove(row.pid, clock.now());
        await flush();
        return { ok: true, pid: row.pid, ...archived };
      }),
    'proc.reset': ({ pid }, { caller }) =>
      withProcess(caller, pid, async (process, row) => {
        const archived = await process.empty(toArchive(process, row));
        await flush();
        return { ok: true, pid: row.pid, ...archived };
      }),
    'proc.history': ({ pid, limit = DEFAULT_HISTORY, offset }, { caller }) =>
      withProcess(caller, pid, async ({ conversation }, row) => {
        await conversation.caughtUp();
        const messageCount = conversation.count;
        const from = offset ?? Math.max(0, messageCount - limit);
        const rows = await conversation.log.slice(from, limit);
        const messages = rows.map(historyMessage);
        return {
          ok: true,
          pid: row.pid,
          conversationId: row.conversationId,
          messages,
          messageCount,
          ...(rows.length < messageCount ? { truncated: true } : {}),
          pendingHil: pendingOf(conversation),
          context: contextOf(conversation),
        };
      }),
    'proc.takeover': ({ pid, force = false }, { caller }) =>
      withProcess(caller, pid, (process) => process.takeOver({ force, byPerson: true })),
    'proc.export': ({ pid, format }, { caller }) =>
      withProcess(caller, pid, async ({ conversation }, row) => ({
        ok: true,
        ...(await exportConversation(row, conversation, format)),
      })),
    'proc.setidentity': async ({ pid, identity, profile, assignment }) => {
      const { cwd, workspaceId } = identity;
      const contextFiles = assignment?.contextFiles ?? [];
      const own = { cwd, workspaceId, profile, parentPid: null, label: null, contextFiles };
      processes.register(newRow(clock.now(), identity, pid, own));
      await flush();
      if (!assignment?.autoStart) return { ok: true };
      return {
        ok: true,
        startedRunId: await (await processes.open(processes.demand(pid, identity))).retry(),
      };
    },
    'proc.approval.list': async (_args, { caller }) => ({
      approvals: tables.approvals
        .rows()
        .filter((row) => row.uid === caller.identity.uid || caller.identity.uid === ROOT_UID)
        .sort((a, b) => b.createdAt - a.createdAt)
        .map(({ approvalId, syscall, target, words, createdAt }) => ({
          approvalId,
          syscall,
          target,
          words,
          createdAt,
        })),
    }),
    'proc.approval.revoke': async ({ approvalId }, { caller }) => {
      const row = tables.approvals.get(approvalId);
      if (!row || (row.uid !== caller.identity.uid && caller.identity.uid !== ROOT_UID))
        return { revoked: false };
      tables.approvals.delete(approvalId);
      await flush();
      return { revoked: true };
    },
  };
}

/** Sortable by time, and unique. */
function archiveId({ clock, random }: ProcHandlerParts): string {
  const at = new Date(clock.now()).toISOString().replaceAll(/[:.]/g, '-');
  return `${at}-${random.uuid().slice(0, 8)}`;
}

function listed({ pid, uid, profile, parentPid, state, label, createdAt, workspaceId, cwd }: ProcessRow) {
  return { pid, uid, profile, parentPid, state, label, createdAt, workspaceId, cwd };
}

function pendingOf(conversation: Conversation): HilRequest | null {
  const row = conversation.shown().hil.get();
  if (!row) return null;
  const { requestId, runId, callId, toolName, syscall, args, createdAt } = row;
  return { requestId, runId, callId, toolName, syscall, args, createdAt };
}

function contextOf(conversation: Conversation): ContextState | null {
  const row = conversation.context.get();
  return row ? { tokens: row.tokens, window: row.window, pressure: row.pressure, level: row.level } : null;
}
