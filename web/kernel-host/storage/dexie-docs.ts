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
  #writing: Promise<void> | null = null;
  #cancelTimer: (() => void) | null = null;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  async load(doc: string): Promise<StoredDoc> {
    const rows = await this.#database.updates.where('doc').equals(doc).sortBy('seq');
    return { updates: rows.map((row) => row.bytes) };
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
    await this.#database.transaction('rw', updates, async () => {
      await updates.where('doc').equals(doc).delete();
      await updates.add({ doc, bytes } as UpdateRow);
    });
  }

  async remove(doc: string): Promise<void> {
    await this.flush();
    await this.#database.updates.where('doc').equals(doc).delete();
  }

  async names(prefix: string): Promise<string[]> {
    const stored = await this.#database.updates.where('doc').startsWith(prefix).uniqueKeys();
    const queued = this.#queue.flatMap(({ doc }) => (doc.startsWith(prefix) ? [doc] : []));
    return [...new Set([...(stored as string[]), ...queued])].sort();
  }

  async lastName(prefix: string): Promise<string | undefined> {
    const stored = await this.#database.updates.where('doc').startsWith(prefix).lastKey();
    const queued = this.#queue.flatMap(({ doc }) => (doc.startsWith(prefix) ? [doc] : []));
    return [...(stored === undefined ? [] : [stored as string]), ...queued].sort().at(-1);
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
    try {
      await this.#database.updates.bulkAdd(batch as UpdateRow[]);
    } catch (thrown) {
      this.#queue = [...batch, ...this.#queue];
      throw storageProblem(thrown);
    }
  }
}
