import { SyscallError } from '../../protocol/errors.ts';
import type { ProcessRow } from '../../state/system.ts';
import { causeId } from '../../std/cause-id.ts';
import type { Args, Result } from '../../syscalls/table.ts';
import type { Caller, Handlers, Invocation } from '../handler.ts';
import { asResult } from '../proc/as-result.ts';
import { childrenOf, type SpawnParts, spawn } from '../proc/spawn.ts';
import { delegateEvent } from './envelopes.ts';
import { asked, callingProcess, clamped, conversationOf, demandRoom, type IpcParts } from './handlers.ts';
import { hopsIn, hopsOf } from './hops.ts';

const DELEGATE_MS = { least: 1_000, usual: 600_000, most: 24 * 3_600_000 };
const LABEL_CHARACTERS = 60;

export type DelegateParts = IpcParts &
  SpawnParts & {
    /** Ends a process as this caller, its history archived. */
    end(caller: Caller, pid: string): Promise<void>;
  };

/** `proc.delegate`: a child for one piece of work, and a call that waits for it. */
export function delegateHandler(parts: DelegateParts): Handlers<'proc.delegate'> {
  return { 'proc.delegate': (args, invocation) => asResult(() => delegate(parts, args, invocation)) };
}

async function delegate(
  parts: DelegateParts,
  args: Args<'proc.delegate'>,
  { caller, key }: Invocation,
): Promise<Result<'proc.delegate'>> {
  const source = callingProcess(parts.processes, caller);
  demandRoom(parts.calls, source);
  const callId = key === undefined ? parts.random.uuid() : causeId('ipc', key);
  if (parts.calls.get(callId)) throw new SyscallError(409, 'This was delegated already');
  await makeRoom(parts, caller, source.pid);
  const { profile = 'task', workspace = { mode: 'inherit' as const }, prompt } = args;
  const label = args.label ?? prompt.trim().split('\n')[0]?.slice(0, LABEL_CHARACTERS);
  const about = { profile, workspace, ...(label ? { label } : {}) };
  const spawned = await spawn(parts, caller.identity, about, source.pid);
  if (!spawned.ok) return spawned;
  const hops = await hopsOf(parts, caller);
  const now = parts.clock.now();
  const deadlineAt = now + clamped(args.timeoutMs, DELEGATE_MS);
  const { maxTurns, maxCost } = args;
  const limits = {
    ...(maxTurns === undefined ? {} : { maxTurns }),
    ...(maxCost === undefined ? {} : { maxCost }),
  };
  const { pid, uid, conversationId } = spawned.row;
  parts.tables.processes.patch(pid, { task: { callId, deadlineAt, endedAt: null, ...limits } });
  const messageId = causeId('ipc', callId);
  const text = delegateEvent(source, callId, deadlineAt, prompt);
  const row = {
    callId,
    uid,
    sourcePid: source.pid,
    sourceConversationId: conversationOf(caller, source),
    pid,
    conversationId,
    messageId,
    kind: 'delegate' as const,
    startedAt: now,
    deadlineAt,
    by: parts.self,
    ...hopsIn({ hops }),
  };
  const { runId } = await asked(parts, row, () =>
    parts.processes.deliver(pid, { messageId, text, origin: 'event', hops: hops + 1 }),
  );
  return { ok: true, callId, pid, runId, deadlineAt };
}

/** Ends children that have done their work, the oldest first, when there is no room for one more. */
async function makeRoom(parts: DelegateParts, caller: Caller, parentPid: string): Promise<void> {
  const { children } = parts.limits();
  const living = childrenOf(parts.processes, parentPid);
  if (children === 0 || living.length < children) return;
  const endedAt = ({ task }: ProcessRow): number => task?.endedAt ?? Number.POSITIVE_INFINITY;
  const done = living.filter((row) => row.state === 'idle' && Number.isFinite(endedAt(row)));
  const oldest = done.sort((a, b) => endedAt(a) - endedAt(b)).slice(0, living.length - children + 1);
  for (const { pid } of oldest) await parts.end(caller, pid);
}
