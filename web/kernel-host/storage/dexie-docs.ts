import type { DocStore, Space, StoredDoc } from '../../../shared/kernel/ports/doc-store.ts';
import type { Clock } from '../../../shared/std/clock.ts';
import { Turns } from '../../../shared/std/turns.ts';
import { type Database, isFull, storageProblem, type UpdateRow } from './database.ts';
import type { DiskKey } from './disk-key.ts';
import type { Reserve } from './reserve.ts';

/** Updates nobody waits for are written together after this long (DESIGN 4). */
const BATCH_MS = 25;

type Queued = { doc: string; bytes: Uint8Array };
type NewRow = Omit<UpdateRow, 'seq'>;

/**
 * Documents as append-only updates in Dexie, sealed; a flush is one transaction over all documents. What was stored
 * before there was a key is read as it is. Writing, folding and removing never overlap, since sealing takes a moment
 * in which a transaction would be over.
 */
export class DexieDocs implements DocStore {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #key: DiskKey;
  readonly #reserve: Reserve | null;
  readonly #turns = new Turns();
  #queue: Queued[] = [];
  /** What is being written now. */
  #batch: Queued[] = [];
  #cancelTimer: (() => void) | null = null;

  constructor(database: Database, clock: Clock, key: DiskKey, reserve: Reserve | null = null) {
    this.#database = database;
    this.#clock = clock;
    this.#key = key;
    this.#reserve = reserve;
  }

  async load(doc: string): Promise<StoredDoc> {
    // Taken before the read: what is written meanwhile comes twice, which an update may, instead of not at all.
    const queued = [...this.#batch, ...this.#queue].filter((row) => row.doc === doc);
    const rows = await this.#database.updates.where('doc').equals(doc).sortBy('seq');
    const stored = await Promise.all(rows.map((row) => this.#opened(row)));
    return { updates: [...stored, ...queued.map(({ bytes }) => bytes)] };
  }

  append(doc: string, update: Uint8Array): void {
    this.#queue.push({ doc, bytes: update });
    this.#cancelTimer ??= this.#clock.after(BATCH_MS, () => void this.flush().catch(() => {}));
  }

  flush(space?: Space): Promise<void> {
    return this.#turns.take(() => this.#write(space));
  }

  async spare(): Promise<boolean> {
    return (await this.#reserve?.spend()) ?? false;
  }

  compact(doc: string, state: () => Uint8Array): Promise<void> {
    return this.#turns.take(async () => {
      await this.#write();
      const row = await this.#sealed({ doc, bytes: state() });
      const { updates } = this.#database;
      await this.#database
        .transaction('rw', updates, async () => {
          await updates.where('doc').equals(doc).delete();
          await updates.add(row as UpdateRow);
        })
        .catch(storageRefused);
    });
  }

  remove(doc: string): Promise<void> {
    return this.#turns.take(async () => {
      this.#queue = this.#queue.filter((row) => row.doc !== doc);
      await this.#database.updates.where('doc').equals(doc).delete().catch(storageRefused);
    });
  }

  async size(): Promise<number> {
    let bytes = 0;
    await this.#database.updates.each((row) => {
      bytes += row.bytes.length;
    });
    return bytes;
  }

  async names(prefix: string): Promise<string[]> {
    const queued = [...this.#batch, ...this.#queue].map(({ doc }) => doc);
    const stored = await this.#database.updates.where('doc').startsWith(prefix).uniqueKeys();
    const unwritten = queued.filter((doc) => doc.startsWith(prefix));
    return [...new Set([...(stored as string[]), ...unwritten])].sort();
  }

  async close(): Promise<void> {
    await this.flush().catch(() => {});
    this.#cancelTimer?.();
    this.#reserve?.close();
    this.#database.close();
  }

  /** A failed write puts what it held back in front of the queue. */
  async #write(space: Space = 'free'): Promise<void> {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    if (this.#queue.length === 0) return;
    const batch = this.#queue;
    this.#queue = [];
    this.#batch = batch;
    try {
      const rows = await Promise.all(batch.map((queued) => this.#sealed(queued)));
      await this.#add(rows).catch(async (thrown) => {
        if (space === 'free' || !isFull(thrown) || !(await this.spare())) throw thrown;
        await this.#add(rows);
      });
    } catch (thrown) {
      this.#queue = [...batch, ...this.#queue];
      throw storageProblem(thrown);
    } finally {
      this.#batch = [];
    }
  }

  async #add(rows: readonly NewRow[]): Promise<void> {
    await this.#database.updates.bulkAdd(rows as UpdateRow[]);
  }

  async #sealed({ doc, bytes }: Queued): Promise<NewRow> {
    return { doc, bytes: await this.#key.seal(bytes, `update ${doc}`), sealed: true };
  }

  async #opened({ doc, bytes, sealed }: UpdateRow): Promise<Uint8Array> {
    return sealed ? this.#key.open(bytes, `update ${doc}`) : bytes;
  }
}

function storageRefused(thrown: unknown): never {
  throw storageProblem(thrown);
}
