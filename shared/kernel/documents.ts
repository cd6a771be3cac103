import * as Y from 'yjs';
import { messageOf, SyscallError } from '../protocol/errors.ts';
import type { DocStore } from './ports/doc-store.ts';

/** Updates stored of one document before they are folded into one: each costs some 60 µs when it is opened. */
const COMPACT_AFTER = 100;

/** Marks a transaction whose update is already stored here. */
const LOADED = Symbol('loaded');

type Open = { doc: Y.Doc; stored: number };

/**
 * The open documents of this replica. Every change of one is queued to the store in the transaction that made it;
 * `flush` says when it is on disk, together with everything queued before (one write for all documents).
 */
export class Documents {
  readonly #store: DocStore;
  readonly #open = new Map<string, Promise<Open>>();

  constructor(store: DocStore) {
    this.#store = store;
  }

  /** Opens a document, once however often it is asked for. Rejects when storage cannot be read. */
  async open(name: string): Promise<Y.Doc> {
    let opening = this.#open.get(name);
    if (!opening) {
      opening = this.#load(name);
      this.#open.set(name, opening);
      opening.catch(() => this.#open.delete(name));
    }
    return (await opening).doc;
  }

  /** Forgets an open document; what it queued is still written. */
  async close(name: string): Promise<void> {
    const open = this.#open.get(name);
    this.#open.delete(name);
    (await open)?.doc.destroy();
  }

  async remove(name: string): Promise<void> {
    await this.close(name);
    await this.#store.remove(name);
  }

  names(prefix: string): Promise<string[]> {
    return this.#store.names(prefix);
  }

  lastName(prefix: string): Promise<string | undefined> {
    return this.#store.lastName(prefix);
  }

  /** Resolves when everything changed until now is on disk. Rejects with SyscallError 507 and what to do. */
  async flush(): Promise<void> {
    try {
      await this.#store.flush();
    } catch (thrown) {
      throw new SyscallError(507, messageOf(thrown), { retryable: true });
    }
  }

  async #load(name: string): Promise<Open> {
    const { updates } = await this.#store.load(name);
    const doc = new Y.Doc();
    Y.transact(
      doc,
      () => {
        for (const update of updates) Y.applyUpdate(doc, update, LOADED);
      },
      LOADED,
    );
    const open: Open = { doc, stored: updates.length };
    doc.on('update', (update: Uint8Array, origin: unknown) => {
      if (origin === LOADED) return;
      this.#store.append(name, update);
      open.stored += 1;
      if (open.stored >= COMPACT_AFTER) this.#compact(name, open);
    });
    return open;
  }

  /** A failed compaction leaves the updates as they were and is tried again later. */
  #compact(name: string, open: Open): void {
    open.stored = 1;
    void this.#store
      .compact(name, () => Y.encodeStateAsUpdate(open.doc))
      .catch(() => {
        open.stored = COMPACT_AFTER / 2;
      });
  }
}
