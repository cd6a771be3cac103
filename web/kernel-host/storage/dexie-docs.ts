import type { DocStore, StoredDoc } from '../../../shared/kernel/ports/doc-store.ts';
import type { Clock } from '../../../shared/std/clock.ts';
import { type Database, storageProblem, type UpdateRow } from './database.ts';

/** Updates nobody waits for are written together after this long (DESIGN 4). */
const BATCH_MS = 25;

type Queued = Omit<UpdateRow, 'seq'>;

/** Documents as append-only updates in Dexie; a flush is one transaction over all documents. */
export class DexieDocs implements DocStore {
  readonly #database: Database;
  readonly #clock: Clock;
  #queue: Queued[] = [];
  /** What is being written now. */
  #batch: Queued[] = [];
  #writing: Promise<void> | null = null;
  #cancelTimer: (() => void) | null = null;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  async load(doc: string): Promise<StoredDoc> {
    // Taken before the read: what is written meanwhile comes twice, which an update may, instead of not at all.
    const queued = [...this.#batch, ...this.#queue].filter((row) => row.doc === doc);
    const rows = await this.#database.updates.where('doc').equals(doc).sortBy('seq');
    return { updates: [...rows, ...queued].map((row) => row.bytes) };
  }

  append(doc: string, update: Uint8Array): void {
    this.#queue.push({ doc, bytes: update });
    this.#cancelTimer ??= this.#clock.after(BATCH_MS, () => void this.flush().catch(() => {}));
  }

  async flush(): Promise<void> {
    while (this.#writing) await this.#writing.catch(() => {});
    if (this.#queue.length === 0) return;
    this.#writing = this.#write().finally(() => {
      this.#writing = null;
    });
    await this.#writing;
  }

  async compact(doc: string, state: () => Uint8Array): Promise<void> {
    await this.flush();
    const bytes = state();
    const { updates } = this.#database;
    await this.#database
      .transaction('rw', updates, async () => {
        await updates.where('doc').equals(doc).delete();
        await updates.add({ doc, bytes } as UpdateRow);
      })
      .catch(storageRefused);
  }

  async remove(doc: string): Promise<void> {
    while (this.#writing) await this.#writing.catch(() => {});
    this.#queue = this.#queue.filter((row) => row.doc !== doc);
    await this.#database.updates.where('doc').equals(doc).delete().catch(storageRefused);
  }

  async size(): Promise<number> {
    let bytes = 0;
    await this.#database.updates.each((row) => {
      bytes += row.bytes.length;
    });
    return bytes;
  }

  async names(prefix: string): Promise<string[]> {
    const stored = await this.#database.updates.where('doc').startsWith(prefix).uniqueKeys();
    const queued = this.#queue.flatMap(({ doc }) => (doc.startsWith(prefix) ? [doc] : []));
    return [...new Set([...(stored as string[]), ...queued])].sort();
  }

  async close(): Promise<void> {
    await this.flush().catch(() => {});
    this.#cancelTimer?.();
    this.#database.close();
  }

  /** A failed write puts what it held back in front of the queue. */
  async #write(): Promise<void> {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    const batch = this.#queue;
    this.#queue = [];
    this.#batch = batch;
    try {
      await this.#database.updates.bulkAdd(batch as UpdateRow[]);
    } catch (thrown) {
      this.#queue = [...batch, ...this.#queue];
      throw storageProblem(thrown);
    } finally {
      this.#batch = [];
    }
  }
}

function storageRefused(thrown: unknown): never {
  throw storageProblem(thrown);
}
