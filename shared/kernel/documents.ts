import * as Y from 'yjs';
import { messageOf, SyscallError } from '../protocol/errors.ts';
import { isFull } from './fs/fs-error.ts';
import type { DocStore, Space } from './ports/doc-store.ts';
import { WORK_DOC } from './proc/open-work.ts';
import { SEARCH_DOC } from './proc/search-index.ts';
import { LOGS_DOC } from './seal/log-places.ts';
import { OUTBOX_DOC } from './sync/outbox.ts';
import { TakeBacks } from './take-back.ts';
import { followUpdates } from './updates.ts';
import { withoutHistory } from './without-history.ts';

/** Documents of this replica alone, which never leave it. */
export const LOCAL_DOCS: ReadonlySet<string> = new Set([WORK_DOC, OUTBOX_DOC, SEARCH_DOC, LOGS_DOC]);

/** Updates stored of one document before they are folded into one: each costs some 60 µs when it is opened. */
const COMPACT_AFTER = 100;
/** One more for each of so many bytes: a large document is opened slowly anyway, and is dear to fold. */
const BYTES_PER_UPDATE = 20_000;
/** A local document that takes more is stored anew without its history. */
const RENEW_BYTES = 64 * 1024;

/** Marks a transaction whose update is already stored here. */
const LOADED = Symbol('loaded');

/** `stored`: updates of it on disk; `size`: their bytes when they were last loaded or folded. */
type Open = { doc: Y.Doc; stored: number; size: number; closed: boolean };
type Use = { opening: Promise<Open>; doc: Y.Doc | null; users: number };

/** Who keeps documents alike on several hosts. Documents of one replica alone are none of its business. */
export type Replicator = {
  /** A document's first user is here; `open` waits for this. `known`: something was stored of it. Must not reject. */
  opened(name: string, doc: Y.Doc, known: boolean): Promise<void>;
  /** Called in the transaction of a change, before it is on disk. */
  changed(name: string, origin: unknown): void;
  /** Its last user has gone. */
  closed(name: string): void;
  /** It is being removed for good. */
  removed(name: string): void;
};

/**
 * The open documents of this replica. Every change of one is queued to the store in the transaction that made it;
 * `flush` says when it is on disk, together with everything queued before (one write for all documents).
 */
export class Documents {
  readonly #store: DocStore;
  readonly #open = new Map<string, Use>();
  readonly #takeBacks = new TakeBacks();
  #replicator: Replicator | null = null;
  #more: () => Promise<boolean> = async () => false;

  constructor(store: DocStore) {
    this.#store = store;
  }

  /** From now on `replicator` is told of all documents but the local ones. Call it before any of those is opened. */
  replicate(replicator: Replicator): void {
    this.#replicator = replicator;
  }

  /** On a full disk `more` makes room beyond what is kept free for that. It resolves with whether it made any. */
  alsoFreedBy(more: () => Promise<boolean>): void {
    this.#more = more;
  }

  /**
   * Opens a document, once however often it is asked for; each caller that is done with it says so by `close`.
   * Rejects when storage cannot be read.
   */
  async open(name: string): Promise<Y.Doc> {
    let use = this.#open.get(name);
    if (!use) {
      use = { opening: this.#load(name), doc: null, users: 0 };
      this.#open.set(name, use);
      use.opening.catch(() => this.#open.delete(name));
    }
    use.users += 1;
    use.doc = (await use.opening).doc;
    return use.doc;
  }

  /** One user of a document is done with it; after the last one it is forgotten. What it queued is still written. */
  async close(name: string): Promise<void> {
    const use = this.#open.get(name);
    if (!use) return;
    use.users -= 1;
    if (use.users === 0) await this.#forget(name, use);
  }

  /** Removes a document here, whoever uses it, and by and by elsewhere. Rejects when it could not be removed. */
  async remove(name: string): Promise<void> {
    const use = this.#open.get(name);
    this.#replicatorOf(name)?.removed(name);
    if (use) await this.#forget(name, use);
    // What is queued may not fit on the disk; removing makes room.
    await this.#store.flush().catch(() => {});
    await this.discard(name);
  }

  /** Removes what is stored here of a document that nobody uses, and tells nobody. */
  async discard(name: string): Promise<void> {
    await this.#store.remove(name).catch(storageRefused);
  }

  /** What is stored here of a document, without following it: a copy that nobody may change. */
  async peek(name: string): Promise<Y.Doc> {
    return built(name, (await this.#store.load(name)).updates);
  }

  names(prefix: string): Promise<string[]> {
    return this.#store.names(prefix);
  }

  /** Names of everything stored here that other replicas have too. */
  async replicated(): Promise<string[]> {
    return (await this.names('')).filter((name) => !LOCAL_DOCS.has(name));
  }

  /** Bytes that all documents take here. */
  size(): Promise<number> {
    return this.#store.size();
  }

  /** Resolves when everything changed until now is on disk. Rejects with SyscallError 507 and what to do. */
  async flush(space?: Space): Promise<void> {
    const flush = (): Promise<void> => this.#store.flush(space);
    const again = async (thrown: unknown): Promise<void> => {
      if (space !== 'reserve' || !(await this.#more())) throw thrown;
      await flush();
    };
    await flush().catch(again).catch(storageRefused);
  }

  /**
   * Does what makes room in the end, although it writes first. A full disk gets it done once more with what is kept free
   * for that, and once more with what else can be given free; `work` is to bear that.
   */
  async makingRoom<T>(work: () => Promise<T>): Promise<T> {
    const frees = [() => this.#store.spare(), () => this.#more()];
    for (;;) {
      try {
        return await work();
      } catch (thrown) {
        if (!isNoSpace(thrown)) throw thrown;
        if (!(await firstOf(frees))) throw isFull(thrown) ? new SyscallError(507, thrown.reason) : thrown;
      }
    }
  }

  /**
   * Makes changes (`change` must not await) and resolves when they are on disk. Rejects with SyscallError 507 and what
   * to do when the disk refuses them; then they are taken back, so that what was refused does not come true later.
   */
  async stored<T>(change: () => T, space?: Space): Promise<T> {
    const docs = [...this.#open.values()].flatMap(({ doc }) => doc ?? []);
    const { result, takeBack } = this.#takeBacks.takeable(docs, change);
    await this.flush(space).catch((thrown) => {
      takeBack();
      throw thrown;
    });
    return result;
  }

  async #load(name: string): Promise<Open> {
    const { updates } = await this.#store.load(name);
    const replicator = this.#replicatorOf(name);
    const doc = LOCAL_DOCS.has(name) ? await this.#renewed(name, updates) : built(name, updates);
    const open: Open = { doc, stored: updates.length, size: sizeOf(updates), closed: false };
    followUpdates(doc, (update, origin) => {
      this.#store.append(name, update);
      replicator?.changed(name, origin);
      open.stored += 1;
      if (open.stored >= COMPACT_AFTER + open.size / BYTES_PER_UPDATE) this.#compact(name, open);
    });
    await replicator?.opened(name, doc, updates.length > 0);
    return open;
  }

  /** Nobody else has a local document, so nobody misses what was once in it. */
  async #renewed(name: string, updates: readonly Uint8Array[]): Promise<Y.Doc> {
    const stored = built(name, updates);
    if (sizeOf(updates) < RENEW_BYTES) return stored;
    const renewed = withoutHistory(stored);
    return this.#store
      .compact(name, () => Y.encodeStateAsUpdate(renewed))
      .then(
        () => renewed,
        () => stored,
      );
  }

  #replicatorOf(name: string): Replicator | undefined {
    return LOCAL_DOCS.has(name) ? undefined : (this.#replicator ?? undefined);
  }

  async #forget(name: string, use: Use): Promise<void> {
    if (this.#open.get(name) !== use) return;
    this.#open.delete(name);
    const open = await use.opening;
    open.closed = true;
    if (!this.#open.has(name)) this.#replicatorOf(name)?.closed(name);
    open.doc.destroy();
  }

  /** A failed compaction leaves the updates as they were and is tried again later. */
  #compact(name: string, open: Open): void {
    open.stored = 1;
    void this.#store
      .compact(name, () => {
        // Another document of this name may have been loaded since, and know more.
        if (open.closed) throw new Error(`${name} is closed`);
        const state = Y.encodeStateAsUpdate(open.doc);
        open.size = state.length;
        return state;
      })
      .catch(() => {
        open.stored = COMPACT_AFTER / 2;
      });
  }
}

function sizeOf(updates: readonly Uint8Array[]): number {
  return updates.reduce((bytes, update) => bytes + update.length, 0);
}

function built(name: string, updates: readonly Uint8Array[]): Y.Doc {
  // Without one, Yjs draws 31 random numbers for a guid.
  const doc = new Y.Doc({ guid: name });
  Y.transact(
    doc,
    () => {
      for (const update of updates) Y.applyUpdate(doc, update, LOADED);
    },
    LOADED,
  );
  return doc;
}

/** Does them, each once, until one has freed something. */
async function firstOf(frees: (() => Promise<boolean>)[]): Promise<boolean> {
  for (let free = frees.shift(); free; free = frees.shift()) if (await free().catch(() => false)) return true;
  return false;
}

function isNoSpace(thrown: unknown): boolean {
  return (thrown instanceof SyscallError && thrown.code === 507) || isFull(thrown);
}

function storageRefused(thrown: unknown): never {
  throw new SyscallError(507, messageOf(thrown), { retryable: true });
}
