import * as Y from 'yjs';
import { ProtocolError } from '../../shared/protocol/errors.ts';
import type { RoomStorage } from './storage.ts';

/** Updates stored one by one before they are replaced by a snapshot. */
export const COMPACT_EVERY = 200;

/** Told of changes by others. `origin` is what was given to `store`. */
export type DocumentListener = { changed(update: Uint8Array, origin: unknown): void };

/**
 * The room's copy of one document. Invariants:
 * 1. An update is applied and relayed only after it is in the log.
 * 2. Stores of one document happen one after the other, so the log is in the order of application.
 */
export class RoomDocument {
  readonly name: string;
  readonly doc = new Y.Doc();
  readonly #storage: RoomStorage;
  readonly #listeners = new Set<DocumentListener>();
  #queue: Promise<void> = Promise.resolve();
  #seq = 0;
  #sinceSnapshot = 0;

  private constructor(storage: RoomStorage, name: string) {
    this.#storage = storage;
    this.name = name;
    this.doc.on('update', (update: Uint8Array, origin: unknown) => {
      for (const listener of this.#listeners) listener.changed(update, origin);
    });
  }

  static async load(storage: RoomStorage, name: string): Promise<RoomDocument> {
    const document = new RoomDocument(storage, name);
    const stored = await storage.load(name);
    document.#seq = stored.seq;
    document.#sinceSnapshot = stored.updates.length;
    for (const update of stored.updates) document.#apply(update, null);
    return document;
  }

  /** Number of the newest stored update. */
  get seq(): number {
    return this.#seq;
  }

  listen(listener: DocumentListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Stores an update, then applies it and tells the listeners. Resolves with the log's number. Rejects with
   * ProtocolError when the bytes are no update, and with the storage's error when they could not be written.
   */
  store(update: Uint8Array, origin: unknown): Promise<number> {
    const stored = this.#queue.then(() => this.#store(update, origin));
    this.#queue = stored.then(
      () => this.#compact(),
      () => {},
    );
    return stored;
  }

  /** Whether everything in the update is here already. Throws ProtocolError when the bytes are no update. */
  contains(update: Uint8Array): boolean {
    checkUpdate(update);
    return Y.snapshotContainsUpdate(Y.snapshot(this.doc), update);
  }

  async #store(update: Uint8Array, origin: unknown): Promise<number> {
    checkUpdate(update);
    const seq = await this.#storage.append(this.name, update);
    this.#seq = seq;
    this.#sinceSnapshot += 1;
    this.#apply(update, origin);
    return seq;
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
