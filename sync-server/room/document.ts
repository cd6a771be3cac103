import * as Y from 'yjs';
import { ProtocolError } from '../../shared/protocol/errors.ts';
import type { RoomStorage } from './storage.ts';
import { WriteQueue, type Written } from './write-queue.ts';

/** Updates stored one by one before they are replaced by a snapshot. */
export const COMPACT_EVERY = 200;

/** Told of what others do. */
export type DocumentListener = {
  /** `origin` is what was given to `store`. */
  changed(update: Uint8Array, origin: unknown): void;
  /** The document is no more: nothing can be stored in it. */
  ended?(reason: string): void;
};

/** An update waiting to be written. `mayBeKnown` ones are not written when everything in them is here already. */
type Waiting = { update: Uint8Array; origin: unknown; mayBeKnown: boolean };

/**
 * The room's copy of one document. Invariants:
 * 1. An update is applied and relayed only after it is in the log.
 * 2. Updates are written, applied and answered in the order in which they came; those that come while a write is
 *    going on share the next one.
 */
export class RoomDocument {
  readonly name: string;
  readonly doc: Y.Doc;
  readonly #storage: RoomStorage;
  readonly #listeners = new Set<DocumentListener>();
  readonly #queue: WriteQueue<Waiting>;
  #seq = 0;
  #sinceSnapshot = 0;

  private constructor(storage: RoomStorage, name: string) {
    this.#storage = storage;
    this.name = name;
    // Without one, Yjs draws 31 random numbers for a guid.
    this.doc = new Y.Doc({ guid: name });
    this.#queue = new WriteQueue({
      turn: () => storage.turn(),
      write: (batch) => this.#write(batch),
      after: () => this.#compact(),
    });
  }

  static async load(storage: RoomStorage, name: string): Promise<RoomDocument> {
    const document = new RoomDocument(storage, name);
    const stored = await storage.load(name);
    document.#seq = stored.seq;
    document.#sinceSnapshot = stored.updates.length;
    for (const update of stored.updates) document.#apply(update, null);
    document.#tellListeners();
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
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Stores an update, then applies it and tells the listeners. Resolves with the log's number. Rejects with
   * ProtocolError when the bytes are no update, and with SyscallError when they could not be written (507) or the
   * document is no more (410).
   */
  async store(update: Uint8Array, origin: unknown, mayBeKnown: boolean): Promise<number> {
    checkUpdate(update);
    return this.#queue.add({ update, origin, mayBeKnown });
  }

  /** Lets the write that is going on end, and holds back further ones until the returned function is called. */
  hold(): Promise<() => void> {
    return this.#queue.hold();
  }

  /** Nothing can be stored any more; what waits to be is refused. */
  end(reason: string): void {
    if (!this.#queue.end(reason)) return;
    for (const listener of [...this.#listeners]) listener.ended?.(reason);
    this.doc.destroy();
  }

  /** From now on: nobody listens while it is loaded, and Yjs writes each update anew for whoever does. */
  #tellListeners(): void {
    this.doc.on('update', (update: Uint8Array, origin: unknown) => {
      for (const listener of this.#listeners) listener.changed(update, origin);
    });
  }

  async #write(batch: readonly Waiting[]): Promise<Written[]> {
    const fresh = batch.filter(({ update, mayBeKnown }) => !mayBeKnown || !this.#contains(update));
    if (fresh.length > 0) {
      const updates = fresh.map(({ update }) => update);
      this.#seq = await this.#storage.append(this.name, updates);
      this.#sinceSnapshot += fresh.length;
    }
    this.#applyAll(fresh);
    return batch.map(() => this.#seq);
  }

  #contains(update: Uint8Array): boolean {
    return Y.snapshotContainsUpdate(Y.snapshot(this.doc), update);
  }

  /** What one sender said in a row is passed on as one update. */
  #applyAll(updates: readonly Waiting[]): void {
    for (let at = 0; at < updates.length; ) {
      const origin = updates[at]?.origin;
      this.doc.transact(() => {
        for (; at < updates.length && updates[at]?.origin === origin; at += 1) {
          const next = updates[at];
          if (next) this.#apply(next.update, origin);
        }
      }, origin);
    }
  }

  /** An update that decodes and yet cannot be integrated changes nothing: the others of the log still count. */
  #apply(update: Uint8Array, origin: unknown): void {
    try {
      Y.applyUpdate(this.doc, update, origin);
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

function checkUpdate(update: Uint8Array): void {
  try {
    Y.decodeUpdate(update);
  } catch {
    throw new ProtocolError('malformed document update');
  }
}
