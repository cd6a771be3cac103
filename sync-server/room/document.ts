import * as Y from 'yjs';
import { ProtocolError, SyscallError } from '../../shared/protocol/errors.ts';
import { type Deferred, deferred } from '../../shared/std/deferred.ts';
import type { RoomStorage } from './storage.ts';

/** Updates stored one by one before they are replaced by a snapshot. */
export const COMPACT_EVERY = 200;

/** So many updates are written without waiting for more. */
const BATCH = 256;

/** Told of what others do. */
export type DocumentListener = {
  /** `origin` is what was given to `store`. */
  changed(update: Uint8Array, origin: unknown): void;
  /** The document is no more: nothing can be stored in it. */
  ended?(reason: string): void;
};

/** An update waiting to be written. `mayBeKnown` ones are not written when everything in them is here already. */
type Waiting = { update: Uint8Array; origin: unknown; mayBeKnown: boolean; answer: Deferred<number> };

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
  #waiting: Waiting[] = [];
  /** Settles when nothing is being written and nobody holds writes back; null when that is so. */
  #busy: Promise<void> | null = null;
  #ended: string | null = null;
  #seq = 0;
  #sinceSnapshot = 0;

  private constructor(storage: RoomStorage, name: string) {
    this.#storage = storage;
    this.name = name;
    // Without one, Yjs draws 31 random numbers for a guid.
    this.doc = new Y.Doc({ guid: name });
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
    return this.#busy !== null;
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
    if (this.#ended !== null) throw new SyscallError(410, this.#ended);
    const answer = deferred<number>();
    this.#waiting.push({ update, origin, mayBeKnown, answer });
    this.#write();
    return answer.promise;
  }

  /** Lets the write that is going on end, and holds back further ones until the returned function is called. */
  async hold(): Promise<() => void> {
    while (this.#busy) await this.#busy;
    const held = deferred<void>();
    this.#busy = held.promise;
    return () => {
      this.#busy = null;
      held.resolve();
      this.#write();
    };
  }

  /** Nothing can be stored any more; what waits to be is refused. */
  end(reason: string): void {
    if (this.#ended !== null) return;
    this.#ended = reason;
    for (const { answer } of this.#waiting.splice(0)) answer.reject(new SyscallError(410, reason));
    for (const listener of [...this.#listeners]) listener.ended?.(reason);
    this.doc.destroy();
  }

  /** From now on: nobody listens while it is loaded, and Yjs writes each update anew for whoever does. */
  #tellListeners(): void {
    this.doc.on('update', (update: Uint8Array, origin: unknown) => {
      for (const listener of this.#listeners) listener.changed(update, origin);
    });
  }

  #write(): void {
    if (this.#busy || this.#waiting.length === 0) return;
    this.#busy = this.#writeAll();
  }

  async #writeAll(): Promise<void> {
    for (let first = true; this.#waiting.length > 0; first = false) {
      if (!first) await this.#gather();
      await this.#writeBatch(this.#waiting.splice(0));
      await this.#compact();
    }
    this.#busy = null;
  }

  /** What came while a write was going on is seldom alone: what has reached the host already shares the next one. */
  async #gather(): Promise<void> {
    for (let had = 0; this.#waiting.length > had && had < BATCH; ) {
      had = this.#waiting.length;
      await this.#storage.turn();
    }
  }

  async #writeBatch(batch: Waiting[]): Promise<void> {
    try {
      const fresh = batch.filter(({ update, mayBeKnown }) => !mayBeKnown || !this.#contains(update));
      if (fresh.length > 0) {
        const updates = fresh.map(({ update }) => update);
        this.#seq = await this.#storage.append(this.name, updates);
        this.#sinceSnapshot += fresh.length;
      }
      this.#applyAll(fresh);
      for (const { answer } of batch) answer.resolve(this.#seq);
    } catch (thrown) {
      for (const { answer } of batch) answer.reject(thrown);
    }
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
