import { SyscallError } from '../../protocol/errors.ts';
import type { Ask, HilRow, Outcome, QueueChange, QueueRow, Raise } from '../../state/conversation.ts';
import { eventPrefix } from '../../state/conversation-names.ts';
import { causeId } from '../../std/cause-id.ts';
import { pause } from '../../std/pause.ts';
import type { InputMode } from '../../syscalls/proc.ts';
import { fromQueue, type Incoming, note } from '../agent/run-rows.ts';
import { hopsIn } from '../ipc/hops.ts';
import type { ModelChoice } from '../ports/models.ts';
import type { Archived, Kept } from './archive.ts';
import { endedGeneration, segmentId } from './compaction.ts';
import type { Conversation } from './conversation.ts';
import type { Aborted, Delivery, SendOptions, Sent } from './delivery.ts';
import type { Requests } from './requests.ts';
import { Runs, type RunsParts } from './runs.ts';
import { type Takeover, takeOver } from './takeover.ts';

export type DialogueParts = RunsParts & { requests: Requests };

const AWAY = 'The browser that runs this cannot be reached';
/** How long a browser that has stopped its run may take to let the process go, and how often it is asked. */
const LET_GO_MS = 10_000;
const ASK_MS = 500;

/**
 * One conversation of a process, at work: at most one run of this replica at a time. A message is acknowledged when it
 * is on disk; it starts a run, or waits in the queue while one of the process is going on, here or elsewhere.
 */
export class Dialogue {
  readonly #parts: DialogueParts;
  readonly #runs: Runs;
  #starting: Promise<unknown> = Promise.resolve();
  #turns = 0;
  #ended = false;

  constructor(parts: DialogueParts) {
    this.#parts = parts;
    this.#runs = new Runs(parts);
    parts.requests.serve((ask) => this.#serve(ask));
  }

  get conversationId(): string {
    return this.#parts.conversationId;
  }

  get conversation(): Conversation {
    return this.#parts.conversation;
  }

  /** Whether it may be closed: nobody watches, and nothing goes on or waits that is this replica's to do. */
  get idle(): boolean {
    const { own, queue, watched } = this.conversation;
    return !watched && this.#runs.idle && own.run.get() === undefined && queue.rows().length === 0;
  }

  /** Whether it needs that nobody else acts in the process. */
  get active(): boolean {
    return this.#runs.busy || this.#turns > 0;
  }

  /** Goes on with what a restart cut off. */
  resume(): void {
    this.#runs.resume();
  }

  /** Resolves when the message is on disk. Rejects, and keeps nothing, when it cannot be. */
  send(text: string, { mode = 'steer', media = [] }: SendOptions = {}): Promise<Sent> {
    const incoming = media.length > 0 ? { text, media: [...media] } : { text };
    return this.#inTurn(() => this.#accept(this.#parts.random.uuid(), incoming, mode));
  }

  /** As `send`; a message of an id that is, or was, in the queue or the history is dropped as a duplicate. */
  deliver({ messageId, text, origin, hops }: Delivery): Promise<Sent> {
    return this.#inTurn(async () => {
      const { delivered } = this.conversation;
      const known = delivered.get(messageId);
      if (known) return { runId: known.runId, queued: !known.begun, duplicate: true };
      const event = {
        ...hopsIn({ hops }),
        messageId,
        text: `${eventPrefix}${text}`,
        origin: 'event' as const,
      };
      return this.#accept(messageId, origin === 'event' ? event : { messageId, text });
    });
  }

  /**
   * Runs once more with the history as it stands; `raised` is what a person lets this run use. Throws 409 while a run is
   * going on.
   */
  retry(raised?: Raise): Promise<string> {
    return this.#inTurn(async () => {
      const place = await this.#placeForRun();
      if (!place) throw new SyscallError(409, 'A run is going on');
      const runId = causeId('run', this.#parts.random.uuid());
      await this.#runs.begin(runId, null, place, raised ? { raised } : {});
      this.#runs.changed(['messages']);
      return runId;
    });
  }

  /**
   * Stops the active run, here or elsewhere. Undefined when there is none. Resolves when its end is on disk. Throws 503
   * when its browser cannot be reached; it stops then as soon as it hears of it.
   */
  async abort(): Promise<Aborted | undefined> {
    const run = this.conversation.shown().run.get();
    if (!run) return undefined;
    if (run.owner === this.conversation.self.id) return this.#abortOwn();
    const outcome = await this.#parts.requests.ask(run.owner, { kind: 'abort', runId: run.runId });
    if (!outcome) throw new SyscallError(503, `${AWAY}; it stops as soon as it hears of it`);
    if (!outcome.done) return undefined;
    return { runId: run.runId, interrupted: outcome.interrupted ?? 0, continued: outcome.continued };
  }

  /** The open approval request, here or elsewhere, if this is its id. */
  asked(requestId: string): HilRow | undefined {
    const states = [this.conversation.own, ...this.conversation.others()];
    return states.map(({ hil }) => hil.get()).find((row) => row?.requestId === requestId);
  }

  /**
   * Answers an approval request; resolves when the answer is on disk, or was taken by the browser that asked. False when
   * there is no such request. Throws 503 when that browser cannot be reached; the answer stays for it.
   */
  async answer(requestId: string, approve: boolean): Promise<boolean> {
    const other = this.conversation.others().find(({ hil }) => hil.get()?.requestId === requestId);
    if (!other) return this.#answerOwn(requestId, approve);
    const outcome = await this.#parts.requests.ask(other.owner, { kind: 'answer', requestId, approve });
    if (!outcome) throw new SyscallError(503, `${AWAY}; your answer is stored and will be used`);
    return outcome.done;
  }

  /** Takes a queued message back. Undefined when its run has begun, or was never known. */
  async unqueue(messageId: string): Promise<Pick<QueueRow, 'text'> | undefined> {
    const [other] = this.conversation.others();
    const known = this.conversation.queue.find(messageId);
    if (!other || !known || known.by === undefined) return this.#unqueueHere(messageId);
    const outcome = await this.#parts.requests.ask(other.owner, { kind: 'unqueue', messageId });
    // Nobody runs it there: what is in the queue is anybody's.
    if (!outcome) return this.#unqueueHere(messageId);
    return outcome.done ? { text: outcome.text ?? known.text } : undefined;
  }

  /** Changes a queued message, or its place. False when its run has begun, or it was never known. */
  async requeue(messageId: string, change: QueueChange): Promise<boolean> {
    const [other] = this.conversation.others();
    const known = this.conversation.queue.find(messageId);
    const here = (): Promise<boolean> => this.#requeueHere(messageId, change);
    if (!other || !known || known.by === undefined) return here();
    const outcome = await this.#parts.requests.ask(other.owner, { kind: 'requeue', messageId, change });
    return outcome ? outcome.done : here();
  }

  /** Goes on here with another browser's run. */
  takeOver(options: { force: boolean; byPerson: boolean }): Promise<Takeover> {
    return this.#inTurn(async () => {
      const taken = await this.#runs.stored(() =>
        takeOver({ ...this.#parts, begins: () => this.#runs.begins }, options),
      );
      if (taken.ok) this.#runs.drive();
      return taken;
    });
  }

  /**
   * Stops what is going on, lets `keep` archive the history, with what was still queued, and begins an empty generation.
   * Messages sent meanwhile wait for it. When `keep` rejects, the history stays. What `carry` makes of the old history
   * begins the new one.
   */
  empty(keep: () => Promise<Kept | null>, carry: (() => Promise<string>) | null = null): Promise<Archived> {
    const step = async (): Promise<Archived> => {
      const summary = await carry?.();
      const archived = await this.clear(keep);
      const { clock, conversation } = this.#parts;
      if (summary) await conversation.append([note('summary', summary, clock.now(), null)]);
      return archived;
    };
    return this.whileStopped(step, { alone: true });
  }

  /**
   * Stops what is going on, does a step, and goes on with what is queued. Messages sent meanwhile wait for it. `alone`:
   * another browser may be at work in another conversation of the process.
   */
  whileStopped<T>(step: () => Promise<T>, { alone = false } = {}): Promise<T> {
    return this.#inTurn(async () => {
      await this.#stopElsewhere(alone);
      return this.#runs.halted(step).finally(() => this.resume());
    });
  }

  /** As `empty`, of a dialogue that is stopped. */
  clear(keep: () => Promise<Kept | null>): Promise<Archived> {
    return this.conversation.archiving.take(() => this.#clear(keep));
  }

  async #clear(keep: () => Promise<Kept | null>): Promise<Archived> {
    await this.#storeQueued();
    const { clock, random, conversation, hold, say, takeBack } = this.#parts;
    const { generation } = conversation.log;
    const kept = await keep();
    const ended = kept && endedGeneration(kept, clock.now(), segmentId(clock.now(), random));
    if (ended) conversation.segments.put(ended.id, ended);
    // Those of others may go on when this one is cut off.
    const over = hold.standing.kind === 'holder' ? conversation.others() : [];
    const ids = over.flatMap(({ run }) => run.get()?.runId ?? []);
    const counted = kept ? { counts: kept.counts, through: kept.through } : undefined;
    if (await conversation.clear(counted, over, generation)) for (const runId of ids) takeBack(runId);
    say({});
    this.#runs.changed(['messages', 'reset']);
    return kept?.archived ?? { archivedMessages: 0, archives: [] };
  }

  /** Asks something aside of the model that the process is set to. Rejects with a sentence for a person when there is none. */
  async withModel<T>(ask: (parts: DialogueParts, choice: ModelChoice) => Promise<T>): Promise<T> {
    const { choice } = await this.#parts.prepare();
    return ask(this.#parts, choice);
  }

  /** Tells pages what has changed. */
  changed(changes: string[]): void {
    this.#runs.changed(changes);
  }

  /** Takes no message any more. */
  end(): void {
    this.#ended = true;
  }

  /** Lets go of its documents. Nothing of it may be going on. */
  close(): void {
    this.#runs.close();
    this.#parts.requests.close();
    this.conversation.close();
  }

  /** Queued messages become part of the history without being answered. */
  async #storeQueued(): Promise<void> {
    const { conversation } = this;
    const queued = conversation.queue.rows();
    const messages = queued.map((row) => fromQueue(row));
    await conversation.append(messages, () => {
      for (const { messageId } of queued) conversation.queue.take(messageId);
    });
  }

  /** Throws 503 when another browser has the process and does not let it go. Cut off, this one acts for itself. */
  async #stopElsewhere(alone: boolean): Promise<void> {
    const { hold, requests, clock } = this.#parts;
    const until = clock.now() + LET_GO_MS;
    for (let asked = false; (await hold.claim()).kind === 'other'; asked = true) {
      if (alone) await this.conversation.caughtUp();
      const run = this.conversation.others()[0]?.run.get();
      // What they queue or begin here meanwhile goes on in the next generation: a reset comes together with that.
      if (alone && !run) return;
      const answered = asked || !run || (await requests.ask(run.owner, { kind: 'abort', runId: run.runId }));
      if (!answered || clock.now() > until) throw new SyscallError(503, `${AWAY}; stop it there first`);
      await pause(clock, ASK_MS, new AbortController().signal);
    }
  }

  /** One after another: sending, retrying, taking over and emptying. */
  #inTurn<T>(step: () => Promise<T>): Promise<T> {
    this.#turns += 1;
    const result = this.#starting.then(step, step);
    this.#starting = result
      .catch(() => {})
      .then(() => {
        this.#turns -= 1;
        // The lease may have been taken for this alone.
        if (!this.#runs.busy) void this.#parts.hold.letGo();
      });
    return result;
  }

  /** The slot, if a run may begin here now; else it is for whoever has the process, or for later. */
  async #placeForRun(): Promise<(() => void) | null> {
    const place = this.#runs.busy ? null : this.#parts.slot.tryTake();
    if (!place) return null;
    const { kind } = await this.#parts.hold.claim();
    const mayStart = kind === 'free' || kind === 'held' || kind === 'apart';
    if (mayStart && !this.#runs.busy) return place;
    place();
    return null;
  }

  /** Begins a run with it, or queues it. */
  async #accept(messageId: string, incoming: Incoming, mode?: InputMode): Promise<Sent> {
    if (this.#ended) throw new SyscallError(404, 'Process not found');
    const runId = causeId('run', messageId);
    const place = await this.#placeForRun();
    if (!place) return this.#enqueue(messageId, runId, { ...incoming, ...this.#when(mode) });
    await this.#runs.begin(runId, incoming, place);
    this.#runs.changed(['messages']);
    return { runId, queued: false };
  }

  /** When a queued message is read. One that ends the run is before all that do not. */
  #when(mode: InputMode | undefined): Pick<QueueRow, 'mode' | 'interrupts'> {
    const runId = mode === 'interrupt' ? this.conversation.shown().run.get()?.runId : undefined;
    return { ...(mode ? { mode } : {}), ...(runId ? { interrupts: runId } : {}) };
  }

  async #enqueue(
    messageId: string,
    runId: string,
    incoming: Incoming & Pick<QueueRow, 'mode' | 'interrupts'>,
  ): Promise<Sent> {
    const { clock, conversation, hold } = this.#parts;
    conversation.change(() => {
      conversation.queue.add({ ...incoming, messageId, runId, queuedAt: clock.now(), ...hold.mark });
      if (incoming.messageId) conversation.delivered.put(messageId, runId, clock.now());
    });
    // In the same write as the message: a restart looks for work by it.
    this.#runs.countQueued();
    try {
      await conversation.flush();
    } catch (thrown) {
      conversation.queue.take(messageId);
      conversation.delivered.forget(messageId);
      this.#runs.countQueued();
      throw thrown;
    }
    this.#runs.changed(['queue']);
    // The run may have ended while this was written.
    if (!this.#runs.busy) this.#runs.drive();
    return { runId, queued: true };
  }

  async #abortOwn(): Promise<Aborted | undefined> {
    const { conversation } = this;
    const run = conversation.own.run.get();
    if (!run) return undefined;
    const interrupted = run.calls.filter((call) => call.status !== 'done').length;
    const over = new Promise<string | undefined>((resolve) => {
      const stopWatching = conversation.onRows(() => {
        if (conversation.own.run.get()?.runId === run.runId) return;
        stopWatching();
        resolve(conversation.queue.rows()[0]?.runId);
      });
    });
    this.#runs.stop();
    const continued = await over;
    await conversation.flush();
    return { runId: run.runId, interrupted, continued };
  }

  async #answerOwn(requestId: string, approve: boolean): Promise<boolean> {
    const answered = this.#runs.runner?.answer(requestId, approve) ?? false;
    await this.conversation.flush();
    return answered;
  }

  async #unqueueHere(messageId: string): Promise<QueueRow | undefined> {
    const row = this.#runs.unqueue(messageId);
    await this.conversation.flush();
    this.#runs.changed(['queue']);
    return row;
  }

  async #requeueHere(messageId: string, { mode, ...change }: QueueChange): Promise<boolean> {
    const changed = this.#runs.requeue(messageId, { ...change, ...this.#when(mode) });
    await this.conversation.flush();
    this.#runs.changed(['queue']);
    return changed;
  }

  /** Carries out what another replica asks. */
  async #serve(ask: Ask): Promise<Outcome> {
    const gone: Outcome = { done: false };
    try {
      if (ask.kind === 'unqueue') {
        const row = await this.#unqueueHere(ask.messageId);
        return row ? { done: true, text: row.text } : gone;
      }
      if (ask.kind === 'requeue') return { done: await this.#requeueHere(ask.messageId, ask.change) };
      // After a restart, or a takeover, the run is about to go on.
      await this.#runs.running();
      if (ask.kind === 'answer') return { done: await this.#answerOwn(ask.requestId, ask.approve) };
      if (this.conversation.own.run.get()?.runId !== ask.runId) return gone;
      const aborted = await this.#abortOwn();
      if (!aborted) return gone;
      const { interrupted, continued } = aborted;
      return { done: true, interrupted, ...(continued === undefined ? {} : { continued }) };
    } catch {
      // The disk refuses; the asker hears that nothing was done.
      return gone;
    }
  }
}
