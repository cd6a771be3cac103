import * as Y from 'yjs';
import { SyscallError } from '../../protocol/errors.ts';
import { Cell } from '../../state/cell.ts';
import {
  type ArchivedRow,
  type CallRow,
  ContextRow,
  LastRow,
  type MessageRow,
  messageKey,
  type RunRow,
  type SegmentRow,
  TakenRow,
} from '../../state/conversation.ts';
import { Table } from '../../state/table.ts';
import { Turns } from '../../std/turns.ts';
import type { Documents } from '../documents.ts';
import { Brought } from './brought.ts';
import { segmentsTable } from './cuts.ts';
import { Delivered } from './delivered.ts';
import { type Generation, Generations } from './generations.ts';
import type { LogChange } from './log-parts.ts';
import { MessageLog, type NewMessage, type ReadLog } from './message-log.ts';
import { OldGenerations } from './old-generations.ts';
import { Queue } from './queue.ts';
import { newestGeneration, rescue } from './rescue.ts';
import { ownersOf, RunState, shownKey } from './run-state.ts';
import { NOTHING_AROUND, type Self, type Surroundings } from './surroundings.ts';
import { upgrade } from './upgrade.ts';

/** The number of the replica that began this GSV. */
const FOUNDER = 0;

/** What changed in a conversation, for those who show it. `reset`: all of it is to be read anew. */
export type ConversationChange = { messages: MessageRow[]; rows: string[]; reset: boolean };

/**
 * The durable state of one dialogue: messages, queue, the runs that are going on. Every method that changes something
 * queues it to disk at once; `flush` resolves when all of it is there. Other replicas change it, too.
 */
export class Conversation {
  /** This replica's own run. */
  readonly own: RunState;
  readonly context: Cell<typeof ContextRow>;
  readonly last: Cell<typeof LastRow>;
  readonly queue: Queue;
  readonly delivered: Delivered;
  /** What was archived of it. */
  readonly segments: Table<typeof SegmentRow>;
  readonly doc: Y.Doc;
  readonly prefix: string;
  readonly self: Self;
  /** What this replica archives, and takes out of the log for it. */
  readonly archiving = new Turns();
  readonly #generations: Generations;
  readonly #brought: Brought;
  readonly #taken: Table<typeof TakenRow>;
  readonly #documents: Documents;
  readonly #around: Surroundings;
  readonly #old: OldGenerations;
  readonly #listeners = new Set<(change: ConversationChange) => void>();
  readonly #rowListeners = new Set<(keys: readonly string[]) => void>();
  /** Appending, and moving to another generation. */
  readonly #turns = new Turns();
  #log: MessageLog;
  /** Resolves when the logs of older generations are closed: until then their documents may come in from the room. */
  #closed: Promise<unknown> = Promise.resolve();

  private constructor(documents: Documents, prefix: string, doc: Y.Doc, self: Self, around: Surroundings) {
    this.#documents = documents;
    this.#around = around;
    this.#old = new OldGenerations({ documents, prefix: `${prefix}g`, later: around.later });
    this.prefix = prefix;
    this.doc = doc;
    this.self = self;
    const state = doc.getMap('state');
    this.own = new RunState(doc, self.id);
    this.context = new Cell(state, 'context', ContextRow);
    this.last = new Cell(state, 'last', LastRow);
    this.queue = new Queue(doc, () => self.index);
    this.delivered = new Delivered(doc);
    this.segments = segmentsTable(doc);
    this.#generations = new Generations(doc);
    this.#brought = new Brought(doc, self.index);
    this.#taken = new Table(doc, 'taken', TakenRow);
    this.#log = this.#logOf(this.#generations.now);
  }

  static async open(
    documents: Documents,
    pid: string,
    conversationId: string,
    self: Self,
    around: Surroundings = NOTHING_AROUND,
  ): Promise<Conversation> {
    const prefix = `conv/${pid}/${conversationId}/`;
    const doc = await documents.open(`${prefix}state`);
    const conversation = new Conversation(documents, prefix, doc, self, around);
    const { generation, firstId: firstBase } = conversation.#generations.now;
    if (self.index === FOUNDER)
      await upgrade(self.id, { documents, state: doc, prefix, generation, firstBase });
    await conversation.#begin();
    return conversation;
  }

  /** The name of the document that holds everything but messages. */
  get stateName(): string {
    return `${this.prefix}state`;
  }

  documentNames(): string[] {
    return [this.stateName, ...this.#log.names()];
  }

  get watched(): boolean {
    return this.#listeners.size > 0;
  }

  get generation(): number {
    return this.#generations.now.generation;
  }

  get count(): number {
    return this.#log.count;
  }

  get log(): ReadLog {
    return this.#log;
  }

  /** The runs of other replicas, as far as they are known here. */
  others(): RunState[] {
    const owners = ownersOf(this.doc).filter((owner) => owner !== this.self.id);
    return owners
      .map((owner) => new RunState(this.doc, owner))
      .filter(({ run }) => {
        const row = run.get();
        return row !== undefined && !this.isTaken(row);
      });
  }

  /**
   * Whether a run is another replica's by now than its owner's: taken over, or done there under the same id. Of two that
   * began one message apart, one remains.
   */
  isTaken(run: RunRow): boolean {
    const taken = this.#taken.get(run.runId);
    const epoch = run.epoch ?? 0;
    if (taken !== undefined && taken.owner !== run.owner && taken.epoch > epoch) return true;
    if (this.last.get()?.runId === run.runId) return true;
    return ownersOf(this.doc).some((owner) => {
      const rival = owner === run.owner ? undefined : new RunState(this.doc, owner).run.get();
      if (rival?.runId !== run.runId) return false;
      const theirs = rival.epoch ?? 0;
      return theirs > epoch || (theirs === epoch && owner < run.owner);
    });
  }

  /** From now on the run is this replica's, with these calls. */
  take(runId: string, epoch: number, calls: readonly CallRow[]): void {
    this.#taken.put(runId, { owner: this.self.id, epoch, calls: calls.map(({ key }) => key) });
    this.#log.lookAgain();
  }

  /** Open calls of a run that was taken over that nobody else knows of: they stay with who made them. */
  leftBehind({ runId, calls }: RunRow): CallRow[] {
    const known = this.#taken.get(runId)?.calls ?? [];
    return calls.filter(({ key }) => !known.includes(key));
  }

  /** The run to be shown: this replica's own, else the newest of the others. */
  shown(): RunState {
    if (this.own.run.get()) return this.own;
    const startedAt = (state: RunState): number => state.run.get()?.startedAt ?? 0;
    return this.others().sort((a, b) => startedAt(b) - startedAt(a))[0] ?? this.own;
  }

  /** Resolves to whether what the room has of it is here; false when it cannot be had now. */
  caughtUp(): Promise<boolean> {
    return this.#around.caughtUp(this.stateName);
  }

  /** Appends messages, in order. `inRows` changes other rows so that disk sees both or neither. */
  append(messages: NewMessage[], inRows: () => void = () => {}): Promise<MessageRow[]> {
    return this.#turns.take(async () => {
      if (!this.#log.isReady(messages)) await this.#log.ready(messages);
      const rows = this.#log.append(messages, () => {
        inRows();
        this.delivered.begun(messages.map(({ messageId }) => messageId));
      });
      this.#notify({ messages: rows, rows: [], reset: false });
      return rows;
    });
  }

  /** Puts a summary in the place of messages that are archived, as they were read from the log. */
  cut(rows: readonly MessageRow[], segment: SegmentRow): Promise<void> {
    return this.#turns.take(async () => {
      if (segment.generation !== this.generation) throw new SyscallError(409, 'It was reset meanwhile');
      this.#log.drop(rows, () => {
        this.segments.put(segment.id, segment);
        this.context.clear();
      });
    });
  }

  /** Takes back what `append` made a moment ago, with the run it began: it could not be stored. */
  retract(messages: readonly MessageRow[]): void {
    this.change(() => {
      this.#log.retract(messages);
      this.own.clear();
    });
  }

  /** Changes several rows as one. */
  change(inRows: () => void): void {
    Y.transact(this.doc, inRows);
  }

  /** Rows of a view by key, but for the messages. */
  rows(): [string, Record<string, unknown>][] {
    const { run, hil, partial } = this.shown();
    const { context, last } = this;
    const single = Object.entries({ run, hil, partial, context, last }).flatMap(([key, cell]) => {
      const row: Record<string, unknown> | undefined = cell.get();
      return row ? [[key, row] as [string, Record<string, unknown>]] : [];
    });
    const queued = this.queue.keys().flatMap((key) => {
      const row = this.queue.get(key);
      return row ? [[`q:${key}`, row] as [string, Record<string, unknown>]] : [];
    });
    return [...single, ...queued];
  }

  /**
   * Starts an empty generation; the messages of the old one are gone from disk when it resolves, or as soon as the disk
   * takes what came instead. What is queued stays. `kept` says which were archived: what others have written beyond them
   * goes to the new one. With this replica's run those of `others` are over. Resolves to false when `ended`, the generation
   * that was meant, has ended elsewhere meanwhile: of two resets one is enough.
   */
  clear(
    kept: ArchivedRow = { counts: this.#log.known() },
    others: readonly RunState[] = [],
    ended = this.#log.generation,
  ): Promise<boolean> {
    return this.#turns.take(async () => {
      const old = this.#log;
      if (old.generation !== ended) return false;
      const next: Generation = { generation: ended + 1, firstId: old.nextBase };
      const begun = this.#logOf(next);
      await begun.load();
      this.change(() => {
        this.#generations.begin(next, kept);
        old.counts.forget(kept.counts);
        for (const run of [this.own, ...others]) run.clear();
        this.context.clear();
        this.last.clear();
      });
      this.#become(begun);
      this.#notify({ messages: [], rows: [], reset: true });
      await this.#removeOld();
      return true;
    });
  }

  close(): void {
    this.#old.close();
    void this.#log.close();
    void this.#documents.close(this.stateName);
  }

  /** As `change`, and stored; rejects, with everything as it was, when it cannot be. */
  stored(inRows: () => void): Promise<void> {
    return this.#documents.stored(() => this.change(inRows));
  }

  flush(): Promise<void> {
    return this.#documents.flush();
  }

  /** Calls back with keys of rows that changed, as a view names them. The returned function ends it. */
  onRows(listener: (keys: readonly string[]) => void): () => void {
    this.#rowListeners.add(listener);
    return () => this.#rowListeners.delete(listener);
  }

  /** The returned function ends it. */
  observe(listener: (change: ConversationChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #begin(): Promise<void> {
    this.doc.getMap('state').observe((event) => {
      const keys = [...event.keysChanged].map((key) => shownKey(String(key)));
      // Another owner's run may be shown from now on, or none.
      const shown = keys.includes('run') ? [...keys, 'hil', 'partial'] : keys;
      this.#notify({ messages: [], rows: [...new Set(shown)], reset: false });
      this.#followNewer();
    });
    this.#generations.observe(() => this.#followNewer());
    this.#brought.observe(() => this.#compare());
    this.#taken.observe(() => this.#notify({ messages: [], rows: ['run', 'hil', 'partial'], reset: false }));
    this.queue.observe((keys) =>
      this.#notify({ messages: [], rows: keys.map((key) => `q:${key}`), reset: false }),
    );
    await this.#turns.take(async () => {
      this.#keepNewest(newestGeneration(this.doc, this.self.index));
      if (this.generation !== this.#log.generation) this.#become(this.#logOf(this.#generations.now));
      await this.#log.load();
      await this.#rescue();
    });
  }

  #followNewer(): void {
    if (this.generation !== this.#log.generation) void this.#follow().catch(() => {});
  }

  /** Another replica began a new generation: this one goes there, with what the archive cannot have. */
  #follow(): Promise<void> {
    return this.#turns.take(async () => {
      if (this.generation === this.#log.generation) return;
      this.#keepNewest(this.#log.generation);
      const begun = this.#logOf(this.#generations.now);
      await begun.load();
      this.#become(begun);
      await this.#rescue();
      this.#notify({ messages: [], rows: [], reset: true });
    });
  }

  /** Of resets apart the furthest generation is that of all, whichever was written last. */
  #keepNewest(generation: number): void {
    this.#generations.keep({ generation, firstId: this.#log.firstBase });
  }

  /** Brings a run that was taken over from an older generation to the one of now. */
  bringRun(): Promise<void> {
    return this.#turns.take(() => this.#rescue());
  }

  /** Brings this replica's messages of older generations that no archive has into the one of now. */
  async #rescue(): Promise<void> {
    const open = (generation: number): MessageLog => this.#logOf({ generation, firstId: 1 });
    const known = (generation: number) => this.#generations.archived(generation);
    const keepOnly = ({ runId, epoch }: RunRow, calls: readonly CallRow[]): void => {
      if (this.#taken.get(runId)?.owner === this.self.id) this.take(runId, epoch ?? 1, calls);
    };
    const { doc, self, own } = this;
    const brought = (rows: readonly MessageRow[]): void => this.#brought.put(this.#log.generation, rows);
    await rescue({ doc, writer: self.index, own, log: this.#log, open, known, brought, keepOnly });
    this.#compare();
    if (this.#generations.any) await this.#removeOld();
  }

  /** What two replicas brought here from an older generation stands once, however much was said in between. */
  #compare(): void {
    void this.#log.compare(this.#brought.segments(this.#log.generation)).catch(() => {});
  }

  #become(log: MessageLog): void {
    this.#closed = Promise.all([this.#closed, this.#log.close()]);
    this.#log = log;
  }

  /** One that is followed next has yet to be read. */
  #removeOld(): Promise<void> {
    const { generation } = this.#log;
    void this.#closed.then(() => this.#old.removeBefore(generation));
    return this.#old.removeBefore(generation);
  }

  #logOf({ generation, firstId: firstBase }: Generation): MessageLog {
    return new MessageLog({
      documents: this.#documents,
      prefix: this.prefix,
      state: this.doc,
      generation,
      firstBase,
      writer: this.self.index,
      caughtUp: (name) => this.#around.caughtUp(name),
      watched: () => this.watched,
      changed: (change) => this.#onLog(generation, change),
    });
  }

  #onLog(generation: number, { put, deleted, all }: LogChange): void {
    if (generation !== this.#log.generation) return;
    this.#notify({ messages: put, rows: deleted.map(messageKey), reset: all });
  }

  #notify(change: ConversationChange): void {
    for (const listener of this.#listeners) listener(change);
    if (change.rows.length > 0) for (const listener of this.#rowListeners) listener(change.rows);
  }
}
