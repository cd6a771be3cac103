import { SyscallError } from '../../protocol/errors.ts';
import type { HilRow, QueueRow, RunRow } from '../../state/conversation.ts';
import type { ProcessRow } from '../../state/system.ts';
import { newRun, userMessage } from '../agent/run-rows.ts';
import { Runner, type RunnerParts } from '../agent/runner.ts';
import type { Conversation } from './conversation.ts';

export type ProcessParts = Omit<RunnerParts, 'emit' | 'onStep' | 'onWaiting' | 'conversation'> & {
  conversation: Conversation;
  row(): ProcessRow | undefined;
  patchRow(changes: Partial<ProcessRow>): void;
  emit(signal: string, payload: Record<string, unknown>): void;
  /** What it is doing changed; shown, never stored. */
  onActivity(activity: string | null): void;
};

export type Sent = { runId: string; queued: boolean };
export type Aborted = { runId: string; interrupted: number; continued: string | undefined };

/**
 * A durable agent: one conversation and at most one run at a time. A message is acknowledged when it is on disk; it
 * starts a run, or waits in the queue while one is going on.
 */
export class Process {
  readonly #parts: ProcessParts;
  #runner: Runner | null = null;
  #driving: Promise<void> | null = null;
  #starting: Promise<unknown> = Promise.resolve();
  #halted = false;
  #ended = false;

  constructor(parts: ProcessParts) {
    this.#parts = parts;
  }

  get conversation(): Conversation {
    return this.#parts.conversation;
  }

  /** Goes on with what a restart cut off. */
  resume(): void {
    const { conversation } = this.#parts;
    if (conversation.run.get() || conversation.queued().length > 0) this.#drive();
    else this.#parts.patchRow({ state: 'idle', queuedCount: 0 });
  }

  /** Resolves when the message is on disk. Rejects, and keeps nothing, when it cannot be. */
  send(text: string): Promise<Sent> {
    return this.#inTurn(() => {
      if (this.#ended) throw new SyscallError(404, 'Process not found');
      return this.#driving ? this.#enqueue(text) : this.#start(text);
    });
  }

  /** Runs once more with the history as it stands. Throws 409 while a run is going on. */
  retry(): Promise<string> {
    return this.#inTurn(async () => {
      if (this.#driving) throw new SyscallError(409, 'A run is going on');
      return (await this.#start(null)).runId;
    });
  }

  /** Stops the active run. Undefined when there is none. Resolves when its end is on disk. */
  async abort(): Promise<Aborted | undefined> {
    const run = this.conversation.run.get();
    const runner = this.#runner;
    if (!run || !runner) return undefined;
    const interrupted = run.calls.filter((call) => call.status !== 'done').length;
    const over = new Promise<string | undefined>((resolve) => {
      const stopWatching = this.conversation.observe(() => {
        if (this.conversation.run.get()?.runId === run.runId) return;
        stopWatching();
        resolve(this.conversation.queued()[0]?.runId);
      });
    });
    runner.stop();
    const continued = await over;
    await this.conversation.flush();
    return { runId: run.runId, interrupted, continued };
  }

  /** The open approval request, if this is its id. */
  asked(requestId: string): HilRow | undefined {
    const row = this.conversation.hil.get();
    return row?.requestId === requestId ? row : undefined;
  }

  /** Answers an approval request; resolves when the answer is on disk. False when there is no such request. */
  async answer(requestId: string, approve: boolean): Promise<boolean> {
    const answered = this.#runner?.answer(requestId, approve) ?? false;
    await this.conversation.flush();
    return answered;
  }

  async unqueue(messageId: string): Promise<QueueRow | undefined> {
    const row = this.conversation.dequeue(messageId);
    await this.conversation.flush();
    this.#changed(['queue']);
    return row;
  }

  /**
   * Stops what is going on, hands the history to `keep`, with what was still queued, and begins an empty generation.
   * Messages sent meanwhile wait for it. When `keep` rejects, the history stays.
   */
  empty<T>(keep: () => Promise<T>): Promise<T> {
    return this.#inTurn(() => this.#empty(keep));
  }

  /** As `empty`; the process takes no message after it. */
  end<T>(keep: () => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      const kept = await this.#empty(keep);
      this.#ended = true;
      return kept;
    });
  }

  async #empty<T>(keep: () => Promise<T>): Promise<T> {
    this.#halted = true;
    try {
      this.#runner?.stop();
      await this.#driving;
      await this.#storeQueued();
      const kept = await keep();
      await this.conversation.clear();
      this.#parts.patchRow({ generation: this.conversation.generation, queuedCount: 0 });
      this.#changed(['messages', 'reset']);
      return kept;
    } finally {
      this.#halted = false;
      this.resume();
    }
  }

  /** Queued messages become part of the history without being answered. */
  async #storeQueued(): Promise<void> {
    const { conversation } = this.#parts;
    const queued = conversation.queued();
    const messages = queued.map(({ text, queuedAt, runId }) => userMessage(text, queuedAt, runId));
    await conversation.append(messages, () => {
      for (const { messageId } of queued) conversation.dequeue(messageId);
    });
  }

  /** One after another: sending, retrying and emptying. */
  #inTurn<T>(step: () => Promise<T>): Promise<T> {
    const result = this.#starting.then(step, step);
    this.#starting = result.catch(() => {});
    return result;
  }

  async #enqueue(text: string): Promise<Sent> {
    const { random, clock, conversation } = this.#parts;
    const runId = random.uuid();
    const row: QueueRow = { messageId: random.uuid(), runId, text, queuedAt: clock.now() };
    conversation.enqueue(row);
    // In the same write as the message: a restart looks for work in the process rows.
    this.#countQueued();
    try {
      await conversation.flush();
    } catch (thrown) {
      conversation.dequeue(row.messageId);
      this.#countQueued();
      throw thrown;
    }
    this.#changed(['queue']);
    // The run may have ended while this was written.
    if (!this.#driving) this.#drive();
    return { runId, queued: true };
  }

  async #start(text: string | null): Promise<Sent> {
    const { random, clock, conversation } = this.#parts;
    const runId = random.uuid();
    const run = newRun(runId, conversation.generation, { provider: '', model: '' }, clock.now());
    const messages = text === null ? [] : [userMessage(text, clock.now(), runId)];
    // In the same write as the message: a restart looks for work in the process rows.
    this.#parts.patchRow({ state: 'running' });
    const rows = await conversation.append(messages, () => conversation.run.set(run));
    try {
      await conversation.flush();
    } catch (thrown) {
      conversation.retract(rows);
      this.#parts.patchRow({ state: 'idle' });
      throw thrown;
    }
    this.#drive();
    this.#changed(['messages']);
    return { runId, queued: false };
  }

  #drive(): void {
    this.#driving ??= this.#runAll().finally(() => {
      this.#driving = null;
      this.#parts.onActivity(null);
      if (this.#goesOn()) this.#drive();
    });
  }

  /** Whether a queued message begins the next run. */
  #goesOn(): boolean {
    return !this.#halted && this.conversation.queued().length > 0 && !this.conversation.run.get();
  }

  async #runAll(): Promise<void> {
    do {
      await this.#promote();
      const run = this.conversation.run.get();
      if (!run || this.#halted) break;
      this.#parts.patchRow({ state: 'running', queuedCount: this.conversation.queued().length });
      const { reason, queuedCount } = { reason: 'message', queuedCount: this.conversation.queued().length };
      this.#parts.emit('proc.run.started', { runId: run.runId, reason, queuedCount });
      this.#runner = new Runner({
        ...this.#parts,
        onStep: (activity) => this.#parts.onActivity(activity),
        onWaiting: (waiting) => this.#parts.patchRow({ state: waiting ? 'waiting' : 'running' }),
      });
      const stored = await this.#runner.finish().then(
        () => true,
        () => false,
      );
      this.#runner = null;
      if (!stored) break;
    } while (this.#goesOn());
    const status = this.conversation.last.get()?.status;
    this.#parts.patchRow({
      state: status === 'error' ? 'error' : 'idle',
      queuedCount: 0,
      updatedAt: this.#parts.clock.now(),
    });
  }

  /** Makes the first queued message the next run, when none is stored. */
  async #promote(): Promise<void> {
    const { conversation, clock } = this.#parts;
    const [next] = conversation.queued();
    if (conversation.run.get() || !next) return;
    const run = newRun(next.runId, conversation.generation, { provider: '', model: '' }, clock.now());
    await conversation.append([userMessage(next.text, next.queuedAt, next.runId)], () => {
      conversation.dequeue(next.messageId);
      this.#begin(run);
    });
    void conversation.flush().catch(() => {});
    this.#changed(['messages', 'queue']);
  }

  /** The run and the mark by which a restart finds it reach the disk together. */
  #begin(run: RunRow): void {
    this.conversation.run.set(run);
    this.#parts.patchRow({ state: 'running' });
  }

  #changed(changes: string[]): void {
    this.#parts.emit('proc.changed', { changes, queuedCount: this.#countQueued() });
  }

  #countQueued(): number {
    const queuedCount = this.conversation.queued().length;
    if (this.#parts.row()?.queuedCount !== queuedCount) this.#parts.patchRow({ queuedCount });
    return queuedCount;
  }
}
