import { SyscallError } from '../../protocol/errors.ts';
import type { ProcessRow, SystemTables } from '../../state/system.ts';
import { causeId } from '../../std/cause-id.ts';
import type { Clock } from '../../std/clock.ts';
import type { Random } from '../../std/random.ts';
import type { ProcessIdentity } from '../../syscalls/proc.ts';
import type { Args, Result } from '../../syscalls/table.ts';
import type { Caller, Handlers, Invocation } from '../handler.ts';
import { asResult } from '../proc/as-result.ts';
import type { Processes } from '../proc/processes.ts';
import { ensureInit, initPid } from '../proc/spawn.ts';
import type { Calls } from './calls.ts';
import { callEvent, messageEvent } from './envelopes.ts';
import { type HopsParts, hopsIn, nextHop } from './hops.ts';

export type IpcParts = HopsParts & {
  tables: SystemTables;
  processes: Processes;
  calls: Calls;
  clock: Clock;
  random: Random;
  /** This replica's id. */
  self: string;
};

const CALL_MS = { least: 1_000, usual: 60_000, most: 600_000 };
/** Of one process at the same time, delegated work included. */
const MOST_CALLS = 32;
const METADATA_CHARACTERS = 4_000;

type Letter = Args<'proc.ipc.send'>;
type Delivered = Extract<Result<'proc.ipc.send'>, { ok: true }>;

export function ipcHandlers(
  parts: IpcParts,
): Handlers<'proc.ipc.send' | 'proc.ipc.call' | 'proc.ipc.deliver'> {
  return {
    'proc.ipc.send': (args, invocation) =>
      asResult(async () => {
        const { source, target } = ends(parts, invocation.caller, args);
        const messageId = causeId('ipc', idOf(parts, invocation));
        const hops = await nextHop(parts, invocation.caller, { source, target });
        const text = messageEvent(source, args);
        return deliver(parts, { source, target, messageId, text, letter: args, hops });
      }),
    'proc.ipc.call': (args, invocation) => asResult(() => call(parts, args, invocation)),
    'proc.ipc.deliver': (args, invocation) =>
      asResult(async () => {
        const source = { pid: args.sourcePid, label: parts.processes.row(args.sourcePid)?.label ?? null };
        const target = sameOwner(parts, args.pid, args.source);
        const cause = args.call?.callId ?? idOf(parts, invocation);
        const text = args.call
          ? callEvent(source, args.call.callId, args.call.deadlineAt, args)
          : messageEvent(source, args);
        const messageId = causeId('ipc', cause);
        return deliver(parts, { source, target, messageId, text, letter: args });
      }),
  };
}

/** The process that makes a call, and the other one it is about. Throws as `proc.*` does, and for calls to itself. */
function ends(
  parts: IpcParts,
  caller: Caller,
  { pid, metadata }: Letter,
): { source: ProcessRow; target: ProcessRow } {
  const source = callingProcess(parts.processes, caller);
  if (pid === source.pid) throw new SyscallError(400, 'A process cannot send to itself');
  if (metadata !== undefined && JSON.stringify(metadata).length > METADATA_CHARACTERS)
    throw new SyscallError(400, `The metadata is longer than ${METADATA_CHARACTERS} characters`);
  return { source, target: sameOwner(parts, pid, caller.identity) };
}

/** The process that makes a call. Throws 403 when it is none. */
export function callingProcess(processes: Processes, { origin }: Caller): ProcessRow {
  const row = origin.kind === 'process' ? processes.row(origin.pid) : undefined;
  if (!row) throw new SyscallError(403, 'Only a process may do this');
  return row;
}

/** The conversation from which a process makes a call. */
export function conversationOf({ origin }: Caller, { conversationId }: ProcessRow): string {
  return (origin.kind === 'process' ? origin.conversationId : undefined) ?? conversationId;
}

/** Root's processes, too, reach those of their own user alone. Throws 404 and 403. */
export function sameOwner(parts: IpcParts, pid: string, identity: ProcessIdentity): ProcessRow {
  const { uid } = identity;
  const row = pid === initPid(uid) ? ensureInit(parts, identity) : parts.processes.row(pid);
  if (!row) throw new SyscallError(404, 'Process not found');
  if (row.uid !== uid) throw new SyscallError(403, 'Permission denied');
  return row;
}

/** The same for a call that is made again under its key. */
const idOf = ({ random }: IpcParts, { key }: Invocation): string =>
  key === undefined ? random.uuid() : causeId('ipc', key);

async function call(
  parts: IpcParts,
  args: Args<'proc.ipc.call'>,
  invocation: Invocation,
): Promise<Result<'proc.ipc.call'>> {
  const { source, target } = ends(parts, invocation.caller, args);
  const callId = idOf(parts, invocation);
  const known = parts.calls.get(callId);
  demandRoom(parts.calls, source);
  const hops = await nextHop(parts, invocation.caller, { source, target });
  const now = parts.clock.now();
  const deadlineAt = known?.deadlineAt ?? now + clamped(args.timeoutMs, CALL_MS);
  const messageId = causeId('ipc', callId);
  const text = callEvent(source, callId, deadlineAt, args);
  const row = {
    callId,
    uid: source.uid,
    sourcePid: source.pid,
    sourceConversationId: conversationOf(invocation.caller, source),
    pid: target.pid,
    conversationId: args.conversationId ?? target.conversationId,
    messageId,
    kind: 'call' as const,
    startedAt: now,
    deadlineAt,
    by: parts.self,
    ...hopsIn({ hops: hops - 1 }),
  };
  const answer = await asked(parts, row, () =>
    deliver(parts, { source, target, messageId, text, letter: args, hops }),
  );
  return { ...answer, callId, deadlineAt };
}

/** Waits for an answer from now on, unless the request cannot be delivered, or was before. */
export async function asked<T extends { duplicate?: boolean }>(
  { calls }: Pick<IpcParts, 'calls'>,
  row: Parameters<Calls['put']>[0],
  request: () => Promise<T>,
): Promise<Omit<T, 'duplicate'>> {
  const known = calls.get(row.callId) !== undefined;
  if (!known) calls.put(row);
  try {
    const { duplicate, ...answer } = await request();
    if (duplicate && !known) calls.forget(row.callId);
    return answer;
  } catch (thrown) {
    if (!known) calls.forget(row.callId);
    throw thrown;
  }
}

/** Throws when a process waits for too many answers already. */
export function demandRoom(calls: Calls, { pid }: Pick<ProcessRow, 'pid'>): void {
  if (calls.from(pid).length >= MOST_CALLS)
    throw new SyscallError(429, `${MOST_CALLS} calls of this process wait for an answer already`);
}

type Brought = {
  source: Pick<ProcessRow, 'pid'>;
  target: ProcessRow;
  messageId: string;
  text: string;
  letter: Pick<Letter, 'conversationId'>;
  hops?: number;
};

async function deliver(
  { processes }: IpcParts,
  { source, target, messageId, text, letter, hops }: Brought,
): Promise<Delivered & { duplicate?: boolean }> {
  const conversationId = letter.conversationId ?? target.conversationId;
  if (processes.conversations.get(target.pid, conversationId)?.status === 'closed')
    throw new SyscallError(409, 'This conversation is closed');
  const about = { messageId, conversationId, ...hopsIn({ hops }) };
  const sent = await processes.deliver(target.pid, { ...about, text, origin: 'event' });
  return {
    ok: true,
    status: 'started',
    pid: target.pid,
    sourcePid: source.pid,
    conversationId,
    runId: sent.runId,
    ...(sent.queued ? { queued: true } : {}),
    ...(sent.duplicate ? { duplicate: true } : {}),
  };
}

export function clamped(
  ms: number | undefined,
  { least, usual, most }: { least: number; usual: number; most: number },
): number {
  return Math.min(Math.max(ms ?? usual, least), most);
}
