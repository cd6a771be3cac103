import { SyscallError } from '../../protocol/errors.ts';
import type { LeaseRef } from '../../protocol/frames.ts';
import type { CallRow, HilRow } from '../../state/conversation.ts';
import { DENIED_BY_PERSON } from '../../state/conversation-names.ts';
import type { Clock } from '../../std/clock.ts';
import { type Deferred, deferred } from '../../std/deferred.ts';
import { pause } from '../../std/pause.ts';
import { isSyscall, type SyscallName, table } from '../../syscalls/table.ts';
import type { Syscalls } from '../handler.ts';
import type { RunMedia } from '../media/media-store.ts';
import type { Conversation } from '../proc/conversation.ts';
import type { RunGuard } from '../proc/hold.ts';
import { NATIVE_TARGET } from '../routing.ts';
import { failure, renderError, renderResult, type ToolOutcome } from './tool-result.ts';

/** Time for one tool call, waiting for a lost device included. Approval does not count. */
const CALL_MS = 90_000;
/** A device that dropped in the middle of a call is waited for this long before the call fails. */
const DEVICE_RETURN_MS = 45_000;
/** Between two tries of one call. */
const RETRY_MS = 300;

export type Judgement =
  | { kind: 'auto' }
  | { kind: 'deny'; reason: string }
  | { kind: 'ask'; tags: string[]; commands: string[]; remember: string[] };

export type ToolCallParts = {
  conversation: Conversation;
  clock: Clock;
  media: RunMedia;
  syscalls: Syscalls;
  /** Decides by policy. Must not reject. */
  judge(call: { syscall: SyscallName; target: string; args: Record<string, unknown> }): Promise<Judgement>;
  /** Resolves when it is known whether there is a way to devices at all. Must not reject. */
  devicesSettled(signal: AbortSignal): Promise<void>;
  /** Resolves to whether the device of a call can be called again within `ms`. Must not reject. */
  reachable(call: CallRow, ms: number, signal: AbortSignal): Promise<boolean>;
  emit(signal: string, payload: Record<string, unknown>): void;
  /** The run waits for a person, or goes on. */
  onWaiting(waiting: boolean): void;
  guard: RunGuard;
  /** Waits for the lease where one is needed. False when the run is stopped or goes on elsewhere. Must not reject. */
  mayGoOn(): Promise<boolean>;
};

type Asked = { call: CallRow; row: HilRow; answer: Deferred<boolean> };

/**
 * The tool calls of one model message, from decision to result. Invariants:
 * 1. A call that changes something is stored as `running` before it is executed.
 * 2. On one target, a call that changes something waits for those before it, and those after wait for it; all others
 *    run at the same time.
 * 3. A call found `running` at the start was cut off: on a device it is asked for again by its key, a native read is
 *    repeated, anything else is reported as interrupted and never executed twice.
 */
export class ToolCalls {
  readonly #parts: ToolCallParts;
  readonly #signal: AbortSignal;
  readonly #asked: Asked[] = [];
  /** What a person decided, by request. */
  readonly #answers = new Map<string, boolean>();

  constructor(parts: ToolCallParts, signal: AbortSignal) {
    this.#parts = parts;
    this.#signal = signal;
  }

  /** Resolves when every call of the run is done, or when the run is stopped. Never rejects. */
  async settleAll(): Promise<void> {
    const calls = this.#parts.conversation.own.run.get()?.calls ?? [];
    const settled: Promise<void>[] = [];
    for (const [at, call] of calls.entries()) {
      const earlier = settled.filter((_, before) => this.#inOrder(calls[before], call));
      settled[at] = Promise.all(earlier).then(() => this.#settle(call));
    }
    await Promise.all(settled);
  }

  /** Answers an open request, once. Returns false when there is none with this id. */
  answer(requestId: string, approve: boolean): boolean {
    if (this.#answers.has(requestId)) return false;
    const asked = this.#asked.find(({ row }) => row.requestId === requestId);
    const call = asked?.call ?? this.#undecided(requestId);
    if (!call) return false;
    this.#answers.set(requestId, approve);
    const { own } = this.#parts.conversation;
    this.#parts.conversation.change(() => {
      if (own.hil.get()?.requestId === requestId) own.hil.clear();
      if (approve) this.#update(call.callId, { status: 'ready', approved: true });
    });
    if (asked) {
      this.#asked.splice(this.#asked.indexOf(asked), 1);
      asked.answer.resolve(approve);
      this.#showNext();
    }
    return true;
  }

  /** The call of a request that a person saw before the run was cut off, or taken over, and has not come to ask again. */
  #undecided(requestId: string): CallRow | undefined {
    const calls = this.#parts.conversation.own.run.get()?.calls ?? [];
    return calls.find((call) => requestOf(call) === requestId && call.status === 'asking' && !call.approved);
  }

  #inOrder(earlier: CallRow | undefined, call: CallRow): boolean {
    return earlier?.target === call.target && (changes(earlier) || changes(call));
  }

  async #settle(call: CallRow): Promise<void> {
    if (call.status === 'done' || this.#signal.aborted) return;
    const { syscall } = call;
    if (syscall === null || !isSyscall(syscall)) return this.#finish(call, failure('There is no such tool'));
    if (call.status === 'running' && call.target === NATIVE_TARGET && changes(call)) {
      return this.#finish(
        call,
        failure('Interrupted: GSV was restarted while this ran. Check whether it took effect.'),
      );
    }
    const refusal = call.status === 'running' || call.approved ? null : await this.#decide(call, syscall);
    if (this.#signal.aborted) return;
    if (refusal) return this.#finish(call, refusal);
    if (this.#parts.guard.now() === undefined && !(await this.#parts.mayGoOn())) return;
    await this.#execute(call, syscall);
  }

  async #decide(call: CallRow, syscall: SyscallName): Promise<ToolOutcome | null> {
    const judgement = await this.#parts.judge({ syscall, target: call.target, args: call.args });
    // Stopped meanwhile: nobody is asked any more.
    if (judgement.kind === 'auto' || this.#signal.aborted) return null;
    if (judgement.kind === 'deny') return failure(judgement.reason);
    const approved = await this.#ask(call, syscall, judgement);
    return approved ? null : failure(DENIED_BY_PERSON);
  }

  async #ask(call: CallRow, syscall: SyscallName, judgement: Judgement & { kind: 'ask' }): Promise<boolean> {
    const run = this.#parts.conversation.own.run.get();
    const { tags, commands, remember } = judgement;
    const row: HilRow = {
      requestId: requestOf(call),
      runId: run?.runId ?? '',
      callId: call.callId,
      toolName: call.toolName,
      syscall,
      args: call.args,
      createdAt: this.#parts.clock.now(),
      target: call.target,
      tags,
      commands,
      remember,
    };
    const answered = this.#answers.get(row.requestId);
    if (answered !== undefined) return answered;
    const answer = deferred<boolean>();
    this.#update(call.callId, { status: 'asking' });
    this.#asked.push({ call, row, answer });
    const onAbort = (): void => answer.resolve(false);
    this.#signal.addEventListener('abort', onAbort, { once: true });
    this.#showNext();
    try {
      return await answer.promise;
    } finally {
      this.#signal.removeEventListener('abort', onAbort);
    }
  }

  #showNext(): void {
    const [next] = this.#asked;
    this.#parts.onWaiting(next !== undefined);
    const { hil } = this.#parts.conversation.own;
    if (!next || hil.get()?.requestId === next.row.requestId) return;
    hil.set(next.row);
    void this.#parts.conversation.flush().catch(() => {});
    const { requestId, runId, callId, toolName, syscall, args, createdAt } = next.row;
    this.#parts.emit('proc.run.hil.requested', {
      requestId,
      runId,
      callId,
      toolName,
      syscall,
      args,
      createdAt,
    });
  }

  async #execute(call: CallRow, syscall: SyscallName): Promise<void> {
    const startedAt = call.startedAt ?? this.#parts.clock.now();
    this.#update(call.callId, { status: 'running', startedAt });
    const { toolName: name, args, callId } = call;
    this.#parts.emit('proc.run.tool.started', { name, syscall, args, callId });
    const outcome = await this.#outcome(call, syscall);
    if (this.#signal.aborted) return;
    this.#finish({ ...call, startedAt }, outcome);
  }

  async #outcome(call: CallRow, syscall: SyscallName): Promise<ToolOutcome> {
    try {
      if (changes(call)) await this.#parts.conversation.flush();
      const outcome = renderResult(syscall, await this.#call(call, syscall));
      return { ...outcome, content: await this.#parts.media.keepImages(outcome.content) };
    } catch (thrown) {
      return renderError(thrown);
    }
  }

  /** A call whose link dropped in flight is asked for again under its key: the device executes a key once. */
  async #call(call: CallRow, syscall: SyscallName): Promise<unknown> {
    const { clock, syscalls, reachable } = this.#parts;
    const deadline = clock.now() + CALL_MS;
    // A call that a restart cut off was in flight, too.
    let lost = call.status === 'running';
    if (call.target !== NATIVE_TARGET) await this.#parts.devicesSettled(this.#signal);
    for (;;) {
      try {
        const lease = await this.#lease();
        const timeoutMs = Math.max(1, deadline - clock.now());
        return await syscalls.call(syscall, call.args as never, {
          onProgress: (text) => this.#parts.emit('proc.run.tool.output', { callId: call.callId, text }),
          key: call.key,
          signal: this.#signal,
          timeoutMs,
          ...(lease ? { lease } : {}),
        });
      } catch (thrown) {
        if (this.#isStale(thrown)) continue;
        lost ||= wasInFlight(thrown);
        // What is known of the device may be older than its loss: a first new try may find it gone.
        if (!lost || !isUnavailable(thrown) || clock.now() >= deadline) throw thrown;
        await pause(clock, RETRY_MS, this.#signal);
        if (!(await reachable(call, DEVICE_RETURN_MS, this.#signal))) throw thrown;
      }
    }
  }

  /** Under which the call is made; checked right before it. Rejects when the run is stopped or goes on elsewhere. */
  async #lease(): Promise<LeaseRef | null> {
    for (;;) {
      const lease = this.#parts.guard.now();
      if (lease !== undefined) return lease;
      if (!(await this.#parts.mayGoOn())) throw new SyscallError(499, 'Aborted');
    }
  }

  /** Whether a call was refused because another replica had the lease since. It is asked for anew. */
  #isStale(thrown: unknown): boolean {
    if (!(thrown instanceof SyscallError) || thrown.code !== 409) return false;
    if ((thrown.details as { lease?: unknown } | undefined)?.lease === undefined) return false;
    this.#parts.guard.doubt();
    return true;
  }

  #finish(call: CallRow, outcome: ToolOutcome): void {
    const { conversation, clock, emit } = this.#parts;
    const finishedAt = clock.now();
    conversation.change(() => {
      conversation.own.setResult(call.callId, outcome);
      this.#update(call.callId, { status: 'done', finishedAt, startedAt: call.startedAt });
    });
    const [block] = outcome.content;
    const text = block?.type === 'text' ? block.text : '';
    emit('proc.run.tool.finished', {
      name: call.toolName,
      syscall: call.syscall,
      callId: call.callId,
      ok: !outcome.isError,
      ...(outcome.isError ? { error: text } : { output: text }),
    });
  }

  #update(callId: string, changed: Partial<CallRow>): void {
    const { run } = this.#parts.conversation.own;
    const row = run.get();
    if (!row) return;
    run.set({
      ...row,
      calls: row.calls.map((call) => (call.callId === callId ? { ...call, ...changed } : call)),
    });
  }
}

const requestOf = (call: CallRow): string => `ask:${call.key}`;

function changes(call: CallRow): boolean {
  return call.syscall === null || !isSyscall(call.syscall) || table[call.syscall].effect === 'write';
}

function isUnavailable(thrown: unknown): thrown is SyscallError {
  return thrown instanceof SyscallError && thrown.code === 503;
}

function wasInFlight(thrown: unknown): boolean {
  return isUnavailable(thrown) && (thrown.details as { inFlight?: unknown } | undefined)?.inFlight === true;
}
