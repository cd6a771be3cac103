import { SyscallError } from '../../protocol/errors.ts';
import type { ProcessRow, SystemTables } from '../../state/system.ts';
import type { Clock } from '../../std/clock.ts';
import type { Random } from '../../std/random.ts';
import type { ContextState, HilRequest, InputMode, procSyscalls } from '../../syscalls/proc.ts';
import { ROOT_UID } from '../auth/accounts.ts';
import type { Documents } from '../documents.ts';
import type { FileSystem } from '../fs/file-system.ts';
import type { Handlers } from '../handler.ts';
import { referred } from '../media/handlers.ts';
import { dropMedia } from '../media/keep.ts';
import type { MediaStore } from '../media/media-store.ts';
import type { Space } from '../ports/doc-store.ts';
import { asResult } from './as-result.ts';
import type { Conversation } from './conversation.ts';
import type { Dialogue } from './dialogue.ts';
import { exportConversation, historyMessage } from './export.ts';
import { keepWith, processAccess } from './process-access.ts';
import type { Processes } from './processes.ts';
import { systemProfiles } from './profiles.ts';
import { newRow, type SpawnParts } from './spawn.ts';
import { start } from './start.ts';
import { labelOf } from './titles.ts';

export type ProcHandlerParts = SpawnParts & {
  tables: SystemTables;
  processes: Processes;
  documents: Pick<Documents, 'makingRoom'>;
  fs: FileSystem;
  media: MediaStore;
  clock: Clock;
  random: Random;
  /** When a message is read that says nothing of it. */
  inputMode(uid: number): InputMode;
  flush(space?: Space): Promise<void>;
};

type ProcName = keyof typeof procSyscalls;
const DEFAULT_HISTORY = 200;

export function procHandlers(parts: ProcHandlerParts): Handlers<ProcName> {
  const { tables, processes, documents, clock, flush } = parts;
  const { withProcess, inDialogue } = processAccess(parts);
  const keep = keepWith(parts);
  /** As `withProcess`, of what makes room on a full disk. */
  const making: typeof withProcess = (caller, pid, step) =>
    withProcess(caller, pid, (process, row) => documents.makingRoom(() => step(process, row)));

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
    'proc.spawn': (args, { caller, key }) => asResult(() => start(parts, args, caller, key)),
    'proc.send': ({ pid, conversationId, message, media: refs = [], mode }, { caller }) =>
      inDialogue(caller, { pid, conversationId }, async (dialogue, row) => {
        // Nobody but a person speaks with a person's voice.
        if (caller.origin.kind === 'process')
          return { ok: false, error: 'A process sends to others with proc.ipc.send' };
        if (message === '' && refs.length === 0) return { ok: false, error: 'There is nothing to send' };
        if (processes.conversations.get(row.pid, dialogue.conversationId)?.status === 'closed')
          return { ok: false, error: 'This conversation is closed; open it first' };
        const media = await referred(parts.media, row, caller, refs);
        const sent = await dialogue.send(message, { mode: mode ?? parts.inputMode(row.uid), media });
        // The name of a process is everywhere; what is said in private is not.
        if (processes.conversations.isPrivate(row.pid, dialogue.conversationId))
          return { ok: true, status: 'started', runId: sent.runId, ...(sent.queued ? { queued: true } : {}) };
        const label = row.label ?? labelOf(message, media);
        if (label !== row.label) tables.processes.patch(row.pid, { label });
        return { ok: true, status: 'started', runId: sent.runId, ...(sent.queued ? { queued: true } : {}) };
      }),
    'proc.retry': (about, { caller }) =>
      inDialogue(caller, about, async (dialogue) => ({ ok: true, runId: await dialogue.retry() })),
    'proc.queue.remove': ({ messageId, ...about }, { caller }) =>
      inDialogue(caller, about, async (dialogue) => {
        const removed = await dialogue.unqueue(messageId);
        return { ok: true, removed: removed !== undefined, ...(removed ? { message: removed.text } : {}) };
      }),
    'proc.queue.update': ({ messageId, message, mode, ...about }, { caller }) =>
      inDialogue(caller, about, async (dialogue) => {
        const change = { ...(message === undefined ? {} : { text: message }), ...(mode ? { mode } : {}) };
        return { ok: true, updated: await dialogue.requeue(messageId, change) };
      }),
    'proc.queue.move': ({ messageId, before, ...about }, { caller }) =>
      inDialogue(caller, about, async (dialogue) => ({
        ok: true,
        moved: await dialogue.requeue(messageId, { before }),
      })),
    'proc.abort': ({ pid, conversationId }, { caller }) =>
      withProcess(caller, pid, async (process, row) => {
        const dialogue = conversationId ? await process.open(conversationId) : await process.current();
        const aborted = await dialogue.abort();
        if (!aborted) return { ok: true, pid: row.pid, aborted: false };
        const { runId, interrupted, continued } = aborted;
        const next = continued ? { continuedQueuedRunId: continued } : {};
        return { ok: true, pid: row.pid, aborted: true, runId, interruptedToolCalls: interrupted, ...next };
      }),
    'proc.hil': ({ pid, conversationId, requestId, decision, remember }, { caller }) =>
      withProcess(caller, pid, async (process, row) => {
        const dialogues = conversationId ? [await process.open(conversationId)] : await process.busy();
        const dialogue = dialogues.find((one) => one.asked(requestId));
        const asked = dialogue?.asked(requestId);
        if (!dialogue || !asked) return { ok: false, error: 'This approval is not open any more' };
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
        const resumed = await dialogue.answer(requestId, decision === 'approve');
        const pendingHil = pendingOf(dialogue);
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
    'proc.kill': ({ pid, archive = true }, { caller }) =>
      making(caller, pid, async (process, row) => {
        const archived = await process.empty(keep(row, archive), row.profile !== 'init');
        await dropMedia(parts.fs, row);
        if (row.profile !== 'init') processes.remove(row.pid, clock.now());
        await flush();
        return { ok: true, pid: row.pid, ...archived };
      }),
    'proc.reset': ({ pid }, { caller }) =>
      making(caller, pid, async (process, row) => {
        const archived = await process.empty(keep(row, true));
        await dropMedia(parts.fs, row);
        await flush();
        return { ok: true, pid: row.pid, ...archived };
      }),
    'proc.history': ({ limit = DEFAULT_HISTORY, offset, ...about }, { caller }) =>
      inDialogue(caller, about, async (dialogue, row) => {
        const { conversation, conversationId } = dialogue;
        await conversation.caughtUp();
        const messageCount = conversation.count;
        const from = offset ?? Math.max(0, messageCount - limit);
        const rows = await conversation.log.slice(from, limit);
        const messages = rows.map(historyMessage);
        return {
          ok: true,
          pid: row.pid,
          conversationId,
          messages,
          messageCount,
          ...(rows.length < messageCount ? { truncated: true } : {}),
          pendingHil: pendingOf(dialogue),
          context: contextOf(conversation),
        };
      }),
    'proc.takeover': ({ pid, conversationId, force = false }, { caller }) =>
      withProcess(caller, pid, async (process) => {
        const dialogue = conversationId ? await process.open(conversationId) : await process.current();
        return dialogue.takeOver({ force, byPerson: true });
      }),
    'proc.export': ({ format, ...about }, { caller }) =>
      inDialogue(caller, about, async ({ conversation, conversationId }, row) => {
        const title = processes.conversations.get(row.pid, conversationId)?.title ?? null;
        const exported = await exportConversation(row, { conversation, conversationId, title }, format);
        return { ok: true, ...exported };
      }),
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
      await flush('reserve');
      return { revoked: true };
    },
  };
}

function listed({ pid, uid, profile, parentPid, state, label, createdAt, workspaceId, cwd }: ProcessRow) {
  return { pid, uid, profile, parentPid, state, label, createdAt, workspaceId, cwd };
}

function pendingOf({ conversation, conversationId }: Dialogue): HilRequest | null {
  const row = conversation.shown().hil.get();
  if (!row) return null;
  const { requestId, runId, callId, toolName, syscall, args, createdAt } = row;
  return { requestId, runId, conversationId, callId, toolName, syscall, args, createdAt };
}

function contextOf(conversation: Conversation): ContextState | null {
  const row = conversation.context.get();
  return row ? { tokens: row.tokens, window: row.window, pressure: row.pressure, level: row.level } : null;
}
