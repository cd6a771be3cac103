import type { MessageRow, QueueRow, RunRow } from '../../state/conversation.ts';
import type { Clock } from '../../std/clock.ts';
import { Condition } from '../../std/condition.ts';
import { deferred } from '../../std/deferred.ts';
import { fromQueue, type Incoming, newRun, userMessage } from '../agent/run-rows.ts';
import type { RunSetup } from '../agent/run-setup.ts';
import { Runner, type RunnerParts } from '../agent/runner.ts';
import { hopsIn } from '../ipc/hops.ts';
import type { Reason } from '../local/chain.ts';
import type { Conversation } from './conversation.ts';
import type { Hold } from './hold.ts';
import type { Saying } from './process-states.ts';
import type { QueueEdit } from './queue.ts';
import type { RunSlot } from './run-slot.ts';

/** A queue that another replica may be about to take is looked at again this often, and soon after a run ended there. */
const LATER_MS = 5_000;
const SOON_MS = 250;

export type RunsParts = Omit<RunnerParts, 'onStep' | 'onWaiting' | 'guard'> & {
  conversation: Conversation;
  clock: Clock;
  hold: Hold;
  /** Of the process: its other conversations want it, too. */
  slot: RunSlot;
  /** Says in the list of processes what goes on here, and how many messages wait. */
  say(what: Saying): void;
  /** Takes away what another replica said of a run that is not its any more. */
  takeBack(runId: string): void;
  /** How many messages it last said that wait. */
  counted(): number;
  /** Nothing is left for this replica to go on with. */
  settle(): void;
  emit(signal: string, payload: Record<string, unknown>): void;
  onActivity(activity: string | null): void;
};

/** The runs that this replica does of one conversation, one after another, and the queue that they come from. */
export class Runs {
  readonly #parts: RunsParts;
  readonly #started = new Condition();
  #runner: Runner | null = null;
  #driving: Promise<void> | null = null;
  #halted = false;
  /** The list of processes may say that something goes on here. */
  #unsaid = false;
  /** The epoch of the run when it was last said that it goes on. */
  #saidUnder: number | null = null;
  /** Resolves when the run that is being stored is whole. */
  #storing: Promise<void> | null = null;
  /** Whom the last run asked: the next one most likely asks the same, and need not write it again. */
  #model: Pick<RunRow, 'provider' | 'model'> = { provider: '', model: '' };
  /** The run that was gone on with last. */
  #driven: string | null = null;
  /** The queued message whose run is being begun. */
  #promoting: string | null = null;
  #cancelLater: (() => void) | null = null;
  /** Ends waiting for the slot. */
  #waiting = new AbortController();
  /** The slot, taken before the run that it is for was stored. */
  #place: (() => void) | null = null;
  /** The run that is to be stopped although it has not begun to go on yet. */
  #stopped: string | null = null;

  constructor(parts: RunsParts) {
    this.#parts = parts;
    parts.conversation.onRows((keys) => this.#onRows(keys));
  }

  /** Whether something is going on: another message has to wait. */
  get busy(): boolean {
    return this.#driving !== null;
  }

  /** Whether nothing is left to be done or said. */
  get idle(): boolean {
    return !this.#driving && !this.#unsaid;
  }

  /** Whether a queued message is becoming the next run. */
  get begins(): boolean {
    return this.#promoting !== null;
  }

  get runner(): Runner | null {
    return this.#runner;
  }

  /** The runner of this replica's run, as soon as it is there; null when there is no such run. */
  async running(): Promise<Runner | null> {
    const { own } = this.#parts.conversation;
    const known = (): boolean => this.#runner !== null || own.run.get() === undefined;
    await this.#started.until(known, new AbortController().signal);
    return this.#runner;
  }

  /** Goes on with what a restart cut off: what was to be said of it may have been cut off, too. */
  resume(): void {
    const { own, queue } = this.#parts.conversation;
    this.#unsaid = true;
    if (own.run.get() || queue.rows().length > 0) this.drive();
    else this.#sayState();
  }

  /** A run that has been stored begins, or goes on; without one, the queue. */
  drive(): void {
    this.#driving ??= this.#runAll().finally(() => {
      this.#driving = null;
      this.#parts.onActivity(null);
      if (this.#goesOn()) this.drive();
      else void this.#parts.hold.letGo();
    });
  }

  /** Stops what is going on while `step` is done; nothing begins meanwhile. */
  async halted<T>(step: () => Promise<T>): Promise<T> {
    this.#halted = true;
    try {
      this.#waiting.abort();
      this.#runner?.stop();
      await this.#driving;
      return await step();
    } finally {
      this.#halted = false;
    }
  }

  /** Ends this replica's run, also one that still waits for its turn. */
  stop(): void {
    this.#stopped = this.#parts.conversation.own.run.get()?.runId ?? null;
    this.#waiting.abort();
    this.#runner?.stop();
    this.drive();
  }

  /**
   * Stores the run of a message, or one without a new message, in the slot that was taken for it. Rejects, keeps nothing
   * and gives the slot back when it cannot be.
   */
  async begin(
    runId: string,
    incoming: Incoming | null,
    place: () => void,
    terms: Pick<RunRow, 'raised'> = {},
  ): Promise<void> {
    try {
      await this.#store(runId, incoming, terms);
    } catch (thrown) {
      place();
      throw thrown;
    }
    // What is queued has been asking for the slot meanwhile.
    if (this.busy) place();
    else this.#place = place;
    this.drive();
  }

  async #store(runId: string, incoming: Incoming | null, terms: Pick<RunRow, 'raised'>): Promise<void> {
    const { clock, conversation } = this.#parts;
    const messages = incoming === null ? [] : [userMessage(incoming, clock.now(), runId)];
    const run = { ...this.#newRun(runId), ...terms, ...hopsIn(incoming ?? {}) };
    // In the same write as the message: a restart looks for work by it.
    this.#parts.say({ state: 'running', runId });
    const messageId = incoming?.messageId;
    let rows: MessageRow[] = [];
    const store = async (): Promise<void> => {
      rows = await conversation.append(messages, () => {
        conversation.own.run.set(run);
        if (messageId !== undefined) conversation.delivered.put(messageId, runId, clock.now());
      });
      await conversation.flush();
    };
    await this.stored(store).catch((thrown) => {
      conversation.retract(rows);
      if (messageId !== undefined) conversation.delivered.forget(messageId);
      this.#parts.say({ state: 'idle' });
      throw thrown;
    });
  }

  /** A run that `store` makes this replica's does not go on before that has resolved. */
  async stored<T>(store: () => Promise<T>): Promise<T> {
    const over = deferred<void>();
    this.#storing = over.promise;
    try {
      return await store();
    } finally {
      this.#storing = null;
      over.resolve();
    }
  }

  /** Takes a queued message back. Undefined when it is none any more. */
  unqueue(messageId: string): QueueRow | undefined {
    if (this.#promoting === messageId) return undefined;
    return this.#parts.conversation.queue.take(messageId);
  }

  /** Changes a queued message. False when it is none any more. */
  requeue(messageId: string, edit: QueueEdit): boolean {
    if (this.#promoting === messageId) return false;
    return this.#parts.conversation.queue.change(messageId, edit);
  }

  changed(changes: string[]): void {
    this.#parts.emit('proc.changed', { changes, queuedCount: this.countQueued() });
  }

  countQueued(): number {
    this.#parts.say({});
    return this.#parts.conversation.queue.rows().length;
  }

  close(): void {
    this.#cancelLater?.();
  }

  #newRun(runId: string): RunRow {
    const { hold, conversation, clock } = this.#parts;
    const { generation, self } = conversation;
    return { ...newRun({ runId, owner: self.id, generation }, clock.now()), ...this.#model, ...hold.terms };
  }

  async #prepare(instead?: Reason): Promise<RunSetup> {
    const setup = await this.#parts.prepare(instead);
    const { provider, model } = setup.choice;
    this.#model = { provider, model };
    return setup;
  }

  /** Whether a queued message begins the next run. */
  #goesOn(): boolean {
    const { queue, own } = this.#parts.conversation;
    return !this.#halted && !this.#cancelLater && queue.rows().length > 0 && !own.run.get();
  }

  async #runAll(): Promise<void> {
    const { conversation } = this.#parts;
    let ran = false;
    let stored = true;
    do {
      const place = await this.#enter();
      try {
        if (place) await this.#promote();
        // Meanwhile one may have been taken over that is not whole yet.
        await this.#storing;
        const run = conversation.own.run.get();
        if (!run || this.#halted || (!place && run.runId !== this.#stopped)) break;
        ran = true;
        stored = await this.#run(run);
      } finally {
        place?.();
      }
    } while (stored && this.#goesOn());
    if (ran || this.#unsaid) this.#sayState();
    else if (conversation.queue.rows().length === 0) this.#parts.settle();
  }

  /** Waits for the slot. Null when this is halted, or its run stopped, before it came. */
  async #enter(): Promise<(() => void) | null> {
    const place = this.#place;
    this.#place = null;
    if (place) return place;
    const { conversation, slot } = this.#parts;
    this.#waiting = new AbortController();
    if (this.#halted) this.#waiting.abort();
    const since = conversation.own.run.get()?.startedAt ?? conversation.queue.rows()[0]?.queuedAt ?? 0;
    return slot.take(since, this.#waiting.signal);
  }

  /** Says in the list of processes that nothing goes on here. */
  #sayState(): void {
    const { conversation, clock, say } = this.#parts;
    this.#unsaid = false;
    say({
      state: conversation.last.get()?.status === 'error' ? 'error' : 'idle',
      updatedAt: clock.now(),
    });
  }

  /** Resolves to whether its end could be stored. */
  async #run(run: RunRow): Promise<boolean> {
    const { conversation, say, onActivity, hold } = this.#parts;
    const queuedCount = conversation.queue.rows().length;
    this.#driven = run.runId;
    say({ state: 'running' });
    this.#saidUnder = run.epoch;
    const { runId, startedAt } = run;
    this.#parts.emit('proc.run.started', { runId, reason: 'message', queuedCount, startedAt });
    this.#runner = new Runner({
      ...this.#parts,
      guard: hold,
      prepare: (instead) => this.#prepare(instead),
      onStep: onActivity,
      onWaiting: (waiting) => say({ state: waiting ? 'waiting' : 'running' }),
    });
    if (this.#stopped === run.runId || run.reset) this.#runner.stop();
    this.#interrupt();
    this.#started.changed();
    const stored = await this.#runner.finish().then(
      () => true,
      () => false,
    );
    this.#runner = null;
    this.#stopped = null;
    return stored;
  }

  /** Makes the first queued message the next run, when none is stored and nobody else may begin it. */
  async #promote(): Promise<void> {
    const { conversation, hold } = this.#parts;
    if (conversation.own.run.get() || conversation.queue.rows().length === 0) return;
    await hold.claim();
    const next = conversation.queue.rows().find((row) => hold.mayTake(row));
    if (this.#halted || conversation.own.run.get()) return;
    if (!next) this.#later(LATER_MS);
    else if (this.#isDone(next)) conversation.queue.take(next.messageId);
    else await this.#beginQueued(next);
  }

  async #beginQueued(next: QueueRow): Promise<void> {
    const { conversation } = this.#parts;
    this.#promoting = next.messageId;
    const begin = (): void => {
      conversation.queue.take(next.messageId);
      conversation.own.run.set({ ...this.#newRun(next.runId), ...hopsIn(next) });
      // The run and the mark by which a restart finds it reach the disk together.
      this.#parts.say({ state: 'running' });
    };
    await conversation.append([fromQueue(next)], begin).finally(() => {
      this.#promoting = null;
    });
    void conversation.flush().catch(() => {});
    this.changed(['messages', 'queue']);
  }

  /** The run of a message has an id derived from it: the same message begun twice is seen. */
  #isDone({ runId, messageId }: QueueRow): boolean {
    const { conversation } = this.#parts;
    if (conversation.delivered.get(messageId)?.begun) return true;
    if (conversation.last.get()?.runId === runId) return true;
    return conversation.others().some(({ run }) => run.get()?.runId === runId);
  }

  #later(ms: number): void {
    this.#cancelLater?.();
    const { conversation } = this.#parts;
    if (conversation.queue.rows().length === 0) return;
    this.#cancelLater = this.#parts.clock.after(ms, () => {
      this.#cancelLater = null;
      if (this.#goesOn()) this.drive();
    });
  }

  /** Ends the run for a message that was sent to end it. */
  #interrupt(): void {
    const { conversation, hold } = this.#parts;
    const runId = conversation.own.run.get()?.runId;
    if (runId === undefined || this.#runner === null) return;
    const ends = conversation.queue.rows().some((row) => row.interrupts === runId && hold.mayTake(row));
    if (ends) this.#runner.stop();
  }

  /** Says it under a new epoch, and of a queue that another replica may have changed. */
  #sayAnew(run: RunRow | undefined, keys: readonly string[]): void {
    const { hold, say, counted } = this.#parts;
    const goesOn = this.#runner !== null && run !== undefined && run.epoch !== this.#saidUnder;
    if (goesOn) this.#saidUnder = run.epoch;
    const counts = hold.standing.kind !== 'guest' || counted() > 0;
    if (goesOn || (counts && keys.some((key) => key.startsWith('q:')))) say({});
  }

  #onRows(keys: readonly string[]): void {
    this.#started.changed();
    this.#interrupt();
    const run = this.#parts.conversation.own.run.get();
    if (run && this.#parts.conversation.isTaken(run)) this.#runner?.taken();
    // A reset elsewhere took it away, or ends it: nobody will answer what it asks.
    else if (!run || run.reset) this.#runner?.stop();
    this.#sayAnew(run, keys);
    if (this.#driving || this.#halted) return;
    // Begun by this replica before it was killed, and known to the room alone.
    if (run && !this.#storing && run.runId !== this.#driven) this.drive();
    else if (this.#cancelLater) {
      if (keys.includes('run')) this.#later(SOON_MS);
    } else if (this.#goesOn()) this.drive();
    // Another replica has taken what was queued here.
    else if (!run && keys.some((key) => key.startsWith('q:'))) this.#parts.settle();
  }
}
