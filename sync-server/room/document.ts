import * as Y from 'yjs';
import { ProtocolError } from '../../shared/protocol/errors.ts';
import type { RoomStorage } from './storage.ts';
import { WriteQueue, type Written } from './write-queue.ts';

/** Updates stored one by one before they are replaced by a snapshot. */
export const COMPACT_EVERY = 200;

/** Told of what others do. */
export type DocumentListener = {
  /** An update has come, which may not be stored yet. `origin` is what was given to `store`. */
  came?(update: Uint8Array, origin: unknown): void;
  /** The stored state is another. */
  changed?(): void;
  /** The document is no more: nothing can be stored in it. */
  ended?(reason: string): void;
};

/**
 * An update waiting to be written. `mayBeKnown` ones are seldom news: they are passed on when they are applied, and not
 * even written when everything in them is here already. Listeners up to the number `told` have been told of it.
 */
type Waiting = { update: Uint8Array; origin: unknown; mayBeKnown: boolean; told: number };

/**
 * The room's copy of one document. Invariants:
 * 1. An update is applied and acknowledged only after it is in the log: the state here is never ahead of the disk.
 * 2. It is passed on as soon as it has come, what came at once from one sender as one update. When a crash or a full
 *    disk keeps it from the log, its author still has it and sends it again; whoever got it early sends it, too, when it
 *    next compares states.
 * 3. Whoever listens gets every update once: early, or when it is applied if it began to listen in between.
 * 4. Updates are written, applied and answered in the order in which they came; those that come while a write is
 *    going on share the next one.
 */
export class RoomDocument {
  readonly name: string;
  readonly doc: Y.Doc;
  readonly #storage: RoomStorage;
  /** With the number of each, which rises. */
  readonly #listeners = new Map<DocumentListener, number>();
  #lastListener = 0;
  /** What nobody has been told of. */
  #news: Waiting[] = [];
  readonly #queue: WriteQueue<Waiting>;
  #seq = 0;
  #sinceSnapshot = 0;

  private constructor(storage: RoomStorage, name: string) {
    this.#storage = storage;
    this.name = name;
    // Without one, Yjs draws 31 random numbers for a guid.
    this.doc = new Y.Doc({ guid: name });
    this.#queue = new WriteQueue({
      turn: async () => {
        await storage.turn();
        this.#passOn();
      },
      write: (batch) => this.#write(batch),
      after: () => this.#compact(),
    });
  }

  static async load(storage: RoomStorage, name: string): Promise<RoomDocument> {
    const document = new RoomDocument(storage, name);
    const stored = await storage.load(name);
    document.#seq = stored.seq;
    document.#sinceSnapshot = stored.updates.length;
    for (const update of stored.updates) document.#apply(update);
    return document;
  }

  /** Number of the newest stored update. */
  get seq(): number {
    return this.#seq;
  }

  /** Whether something is being written. */
  get busy(): boolean {
    return this.#queue.busy;
  }

  listen(listener: DocumentListener): () => void {
    this.#lastListener += 1;
    this.#listeners.set(listener, this.#lastListener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Passes an update on, stores it, and then applies it. Resolves with the log's number when it is stored. Rejects with
   * ProtocolError when the bytes are no update, and with SyscallError when they could not be written (507) or the
   * document is no more (410).
   */
  async store(update: Uint8Array, origin: unknown, mayBeKnown: boolean): Promise<number> {
    checkUpdate(update);
    const waiting = { update, origin, mayBeKnown, told: 0 };
    if (!mayBeKnown) this.#news.push(waiting);
    if (!this.busy) this.#passOn();
    return this.#queue.add(waiting);
  }

  /** Lets the write that is going on end, and holds back further ones until the returned function is called. */
  hold(): Promise<() => void> {
    return this.#queue.hold();
  }

  /** Nothing can be stored any more; what waits to be is refused. */
  end(reason: string): void {
    if (!this.#queue.end(reason)) return;
    for (const listener of [...this.#listeners.keys()]) listener.ended?.(reason);
    this.doc.destroy();
  }

  #passOn(): void {
    const news = this.#news.splice(0);
    for (const { update, origin } of bySender(news)) this.#tell(update, origin, 0);
    for (const one of news) one.told = this.#lastListener;
  }

  /** Tells listeners whose number is above `after`. */
  #tell(update: Uint8Array, origin: unknown, after: number): void {
    for (const [listener, number] of this.#listeners) if (number > after) listener.came?.(update, origin);
  }

  async #write(batch: readonly Waiting[]): Promise<Written[]> {
    const fresh = batch.filter(({ update, mayBeKnown }) => !mayBeKnown || !this.#contains(update));
    if (fresh.length > 0) {
      const updates = fresh.map(({ update }) => update);
      this.#seq = await this.#storage.append(this.name, updates);
      this.#sinceSnapshot += fresh.length;
    }
    if (fresh.length > 0) this.#applyAll(fresh);
    return batch.map(() => this.#seq);
  }

  #contains(update: Uint8Array): boolean {
    return Y.snapshotContainsUpdate(Y.snapshot(this.doc), update);
  }

  #applyAll(stored: readonly Waiting[]): void {
    this.doc.transact(() => {
      for (const { update } of stored) this.#apply(update);
    });
    for (const { update, origin, told } of stored) this.#tell(update, origin, told);
    for (const listener of this.#listeners.keys()) listener.changed?.();
  }

  /** An update that decodes and yet cannot be integrated changes nothing: the others of the log still count. */
  #apply(update: Uint8Array): void {
    try {
      Y.applyUpdate(this.doc, update);
    } catch (thrown) {
      console.error(`room: an update of ${this.name} could not be integrated: ${String(thrown)}`);
    }
  }

  /** Nobody uses it any more. */
  drop(): void {
    this.doc.destroy();
  }

  /** A snapshot that cannot be written now is tried again after the next update; the log holds everything. */
  async #compact(): Promise<void> {
    if (this.#sinceSnapshot < COMPACT_EVERY) return;
    try {
      await this.#storage.compact(this.name, this.#seq, Y.encodeStateAsUpdate(this.doc));
      this.#sinceSnapshot = 0;
    } catch (thrown) {
      console.error(`room: ${this.name} could not be compacted: ${String(thrown)}`);
    }
  }
}

/** What one sender said in a row, as one update. */
function bySender(updates: readonly Waiting[]): { update: Uint8Array; origin: unknown }[] {
  const runs: { updates: Uint8Array[]; origin: unknown }[] = [];
  for (const { update, origin } of updates) {
    const run = runs.at(-1);
    if (run && run.origin === origin) run.updates.push(update);
    else runs.push({ updates: [update], origin });
  }
  return runs.map(({ updates: said, origin }) => ({ update: merged(said), origin }));
}

function merged(updates: Uint8Array[]): Uint8Array {
  const [first, ...more] = updates;
  return first && more.length === 0 ? first : Y.mergeUpdates(updates);
}

function checkUpdate(update: Uint8Array): void {
  try {
    Y.decodeUpdate(update);
  } catch {
    throw new ProtocolError('malformed document update');
  }
}
