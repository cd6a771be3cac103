import { concatBytes } from '../../shared/std/bytes.ts';
import type { RoomStorage, StoredBlob, StoredDocument } from '../room/storage.ts';

/** A row holds at most this much; the runtime's limit for one value is 2 MiB. */
const PART_BYTES = 1024 * 1024;
/** The runtime binds at most 100 values to one statement. */
const PARTS_AT_ONCE = 25;
/** More than a journal holds before it is begun again. */
const FILLER_BYTES = 16 * PART_BYTES;
/** No document has this name. */
const FILLER = '';
const UPDATES = `(
  doc TEXT NOT NULL, seq INTEGER NOT NULL, part INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (doc, seq, part)
)`;
const NOTHING = new Uint8Array();

/** A part of an update, as one row has it. */
type Part = { seq: number; part: number; bytes: ArrayBuffer };

/** The room's storage on a Durable Object with SQL. Every write waits until it is on disk. */
export class SqlStorage implements RoomStorage {
  readonly #storage: DurableObjectStorage;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    storage.sql.exec(`
      CREATE TABLE IF NOT EXISTS updates ${UPDATES};
      CREATE TABLE IF NOT EXISTS entries (key TEXT PRIMARY KEY, value TEXT NOT NULL);
      CREATE TABLE IF NOT EXISTS blobs (
        hash TEXT PRIMARY KEY, stored INTEGER NOT NULL, whole INTEGER NOT NULL, unused_since INTEGER
      );
      CREATE INDEX IF NOT EXISTS unused_blobs ON blobs (unused_since);
      CREATE TABLE IF NOT EXISTS blob_parts (
        hash TEXT NOT NULL, start INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (hash, start)
      );
    `);
  }

  /** A commit stops the whole room, so nothing arrives while one is going on. */
  turn(): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, 0));
  }

  async append(doc: string, updates: readonly Uint8Array[]): Promise<number> {
    const seq = this.#storage.transactionSync(() => {
      const last = this.#lastSeq(doc);
      this.#insert(
        doc,
        updates.flatMap((update, at) => partsOf(last + 1 + at, update)),
      );
      return last + updates.length;
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
      this.#erase('updates', 'doc = ? AND seq <= ?', doc, seq);
      this.#insert(doc, partsOf(seq, state));
    });
    await this.#storage.sync();
  }

  async documents(): Promise<string[]> {
    const rows = this.#storage.sql.exec('SELECT DISTINCT doc FROM updates').toArray();
    return rows.map(({ doc }) => String(doc));
  }

  async removeDocuments(docs: readonly string[]): Promise<number> {
    const removed = this.#storage.transactionSync(() => {
      const stored = docs.filter((doc) => this.#has(doc));
      for (const doc of stored) this.#erase('updates', 'doc = ?', doc);
      return stored.length;
    });
    await this.#storage.sync();
    return removed;
  }

  /**
   * Rows that are erased leave pieces of themselves in pages where they once stood beside others: what is still there is
   * put into pages of its own, and all that is free then is overwritten, and the journal with it.
   */
  async scrub(): Promise<void> {
    const { databaseSize } = this.#storage.sql;
    await this.#overwriteFree(databaseSize);
    this.#storage.transactionSync(() => {
      this.#storage.sql.exec(`CREATE TABLE fresh ${UPDATES}`);
      this.#storage.sql.exec('INSERT INTO fresh SELECT * FROM updates');
      this.#storage.sql.exec('DROP TABLE updates');
      this.#storage.sql.exec('ALTER TABLE fresh RENAME TO updates');
    });
    await this.#overwriteFree(databaseSize);
    // The journal is begun anew after each of these; the last one is longer than it has ever been.
    const filler = new Uint8Array(FILLER_BYTES);
    await this.append(FILLER, [filler, filler, filler]);
    await this.removeDocuments([FILLER]);
  }

  /** At least so many bytes of what is free. */
  async #overwriteFree(bytes: number): Promise<void> {
    const filler = new Uint8Array(FILLER_BYTES);
    for (let written = 0; written <= bytes; written += FILLER_BYTES) await this.append(FILLER, [filler]);
    await this.removeDocuments([FILLER]);
  }

  async blob(hash: string): Promise<StoredBlob | undefined> {
    const [row] = this.#storage.sql
      .exec('SELECT stored, whole, unused_since FROM blobs WHERE hash = ?', hash)
      .toArray();
    if (!row) return undefined;
    const { stored, whole, unused_since: since } = row;
    return { stored: Number(stored), whole: whole === 1, unusedSince: since === null ? null : Number(since) };
  }

  async putBlob(hash: string, { stored, whole, unusedSince }: StoredBlob, added?: Uint8Array): Promise<void> {
    this.#storage.transactionSync(() => {
      this.#storage.sql.exec(
        'INSERT OR REPLACE INTO blobs (hash, stored, whole, unused_since) VALUES (?, ?, ?, ?)',
        hash,
        stored,
        whole ? 1 : 0,
        unusedSince,
      );
      if (added) this.#insertBlob(hash, stored - added.length, added);
    });
    await this.#storage.sync();
  }

  async readBlob(hash: string, offset: number): Promise<Uint8Array> {
    const [row] = this.#storage.sql
      .exec(
        'SELECT start, bytes FROM blob_parts WHERE hash = ? AND start <= ? ORDER BY start DESC LIMIT 1',
        hash,
        offset,
      )
      .toArray();
    return row ? new Uint8Array(row.bytes as ArrayBuffer).subarray(offset - Number(row.start)) : NOTHING;
  }

  async removeBlob(hash: string): Promise<void> {
    this.#storage.transactionSync(() => {
      this.#storage.sql.exec('DELETE FROM blobs WHERE hash = ?', hash);
      this.#erase('blob_parts', 'hash = ?', hash);
    });
    await this.#storage.sync();
  }

  async unusedBlobs(time: number): Promise<string[]> {
    const rows = this.#storage.sql.exec('SELECT hash FROM blobs WHERE unused_since <= ?', time);
    return Array.from(rows, (row) => String(row.hash));
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

  async clear(): Promise<void> {
    this.#storage.transactionSync(() => {
      for (const table of ['updates', 'entries', 'blobs', 'blob_parts'])
        this.#storage.sql.exec(`DELETE FROM ${table}`);
    });
    await this.#storage.sync();
  }

  /** Overwrites what it removes: a freed page keeps its bytes until something else needs it. */
  #erase(table: 'updates' | 'blob_parts', where: string, ...values: (string | number)[]): void {
    this.#storage.sql.exec(`UPDATE ${table} SET bytes = zeroblob(length(bytes)) WHERE ${where}`, ...values);
    this.#storage.sql.exec(`DELETE FROM ${table} WHERE ${where}`, ...values);
  }

  #lastSeq(doc: string): number {
    const row = this.#storage.sql.exec('SELECT MAX(seq) AS seq FROM updates WHERE doc = ?', doc).one();
    return Number(row.seq ?? 0);
  }

  #has(doc: string): boolean {
    return this.#storage.sql.exec('SELECT 1 FROM updates WHERE doc = ? LIMIT 1', doc).toArray().length > 0;
  }

  #insert(doc: string, parts: readonly Part[]): void {
    for (let at = 0; at < parts.length; at += PARTS_AT_ONCE) {
      const some = parts.slice(at, at + PARTS_AT_ONCE);
      this.#storage.sql.exec(
        `INSERT INTO updates (doc, seq, part, bytes) VALUES ${some.map(() => '(?, ?, ?, ?)').join(', ')}`,
        ...some.flatMap(({ seq, part, bytes }) => [doc, seq, part, bytes]),
      );
    }
  }

  #insertBlob(hash: string, start: number, bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += PART_BYTES) {
      this.#storage.sql.exec(
        'INSERT INTO blob_parts (hash, start, bytes) VALUES (?, ?, ?)',
        hash,
        start + at,
        bytes.slice(at, at + PART_BYTES).buffer,
      );
    }
  }
}

function partsOf(seq: number, update: Uint8Array): Part[] {
  const parts: Part[] = [];
  for (let part = 0; part * PART_BYTES < Math.max(1, update.length); part += 1) {
    const bytes = update.slice(part * PART_BYTES, (part + 1) * PART_BYTES).buffer as ArrayBuffer;
    parts.push({ seq, part, bytes });
  }
  return parts;
}
