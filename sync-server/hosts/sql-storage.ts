import { concatBytes } from '../../shared/std/bytes.ts';
import type { RoomStorage, StoredDocument } from '../room/storage.ts';

/** A row holds at most this much; the runtime's limit for one value is 2 MiB. */
const PART_BYTES = 1024 * 1024;

/** The room's storage on a Durable Object with SQL. Every write waits until it is on disk. */
export class SqlStorage implements RoomStorage {
  readonly #storage: DurableObjectStorage;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    storage.sql.exec(`
      CREATE TABLE IF NOT EXISTS updates (
        doc TEXT NOT NULL, seq INTEGER NOT NULL, part INTEGER NOT NULL, bytes BLOB NOT NULL,
        PRIMARY KEY (doc, seq, part)
      );
      CREATE TABLE IF NOT EXISTS entries (key TEXT PRIMARY KEY, value TEXT NOT NULL);
    `);
  }

  async append(doc: string, updates: readonly Uint8Array[]): Promise<number> {
    const seq = this.#storage.transactionSync(() => {
      let last = this.#lastSeq(doc);
      for (const update of updates) {
        last += 1;
        this.#insert(doc, last, update);
      }
      return last;
    });
    await this.#storage.sync();
    return seq;
  }

  async load(doc: string): Promise<StoredDocument> {
    const parts = new Map<number, Uint8Array[]>();
    for (const row of this.#storage.sql.exec(
      'SELECT seq, bytes FROM updates WHERE doc = ? ORDER BY seq, part',
      doc,
    )) {
      const seq = Number(row.seq);
      parts.set(seq, [...(parts.get(seq) ?? []), new Uint8Array(row.bytes as ArrayBuffer)]);
    }
    return { seq: this.#lastSeq(doc), updates: Array.from(parts.values(), concatBytes) };
  }

  async compact(doc: string, seq: number, state: Uint8Array): Promise<void> {
    this.#storage.transactionSync(() => {
      this.#storage.sql.exec('DELETE FROM updates WHERE doc = ? AND seq <= ?', doc, seq);
      this.#insert(doc, seq, state);
    });
    await this.#storage.sync();
  }

  async removeDocuments(): Promise<void> {
    this.#storage.sql.exec('DELETE FROM updates');
    await this.#storage.sync();
  }

  async get(key: string): Promise<unknown> {
    const [row] = this.#storage.sql.exec('SELECT value FROM entries WHERE key = ?', key).toArray();
    return row && JSON.parse(String(row.value));
  }

  async put(key: string, value: unknown): Promise<void> {
    this.#storage.sql.exec(
      'INSERT OR REPLACE INTO entries (key, value) VALUES (?, ?)',
      key,
      JSON.stringify(value),
    );
    await this.#storage.sync();
  }

  async delete(key: string): Promise<void> {
    this.#storage.sql.exec('DELETE FROM entries WHERE key = ?', key);
    await this.#storage.sync();
  }

  async list(prefix: string): Promise<[string, unknown][]> {
    const rows = this.#storage.sql.exec(
      'SELECT key, value FROM entries WHERE substr(key, 1, ?) = ? ORDER BY key',
      prefix.length,
      prefix,
    );
    return Array.from(rows, (row) => [String(row.key), JSON.parse(String(row.value))]);
  }

  #lastSeq(doc: string): number {
    const row = this.#storage.sql.exec('SELECT MAX(seq) AS seq FROM updates WHERE doc = ?', doc).one();
    return Number(row.seq ?? 0);
  }

  #insert(doc: string, seq: number, bytes: Uint8Array): void {
    for (let part = 0; part * PART_BYTES < Math.max(1, bytes.length); part += 1) {
      const slice = bytes.slice(part * PART_BYTES, (part + 1) * PART_BYTES);
      this.#storage.sql.exec(
        'INSERT INTO updates (doc, seq, part, bytes) VALUES (?, ?, ?, ?)',
        doc,
        seq,
        part,
        slice.buffer,
      );
    }
  }
}
