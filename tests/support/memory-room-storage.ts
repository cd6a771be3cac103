import { concatBytes } from '../../shared/std/bytes.ts';
import type { RoomStorage, StoredBlob, StoredDocument } from '../../sync-server/room/storage.ts';

const PART_BYTES = 64 * 1024;

/** The room's storage in memory: outlives a room, and fails when told to. */
export class MemoryRoomStorage implements RoomStorage {
  /** Set to make every write reject with it. */
  failure: Error | null = null;
  readonly #logs = new Map<string, { seq: number; updates: Uint8Array[] }>();
  readonly #entries = new Map<string, string>();
  readonly #blobs = new Map<string, { blob: StoredBlob; bytes: Uint8Array }>();

  async turn(): Promise<void> {}

  /** Documents of which something is stored. */
  names(): string[] {
    return [...this.#logs.keys()];
  }

  blobNames(): string[] {
    return [...this.#blobs.keys()];
  }

  async append(doc: string, updates: readonly Uint8Array[]): Promise<number> {
    await this.#writing();
    const log = this.#logs.get(doc) ?? { seq: 0, updates: [] };
    this.#logs.set(doc, { seq: log.seq + updates.length, updates: [...log.updates, ...updates] });
    return log.seq + updates.length;
  }

  async load(doc: string): Promise<StoredDocument> {
    return this.#logs.get(doc) ?? { seq: 0, updates: [] };
  }

  async compact(doc: string, seq: number, state: Uint8Array): Promise<void> {
    await this.#writing();
    const log = this.#logs.get(doc) ?? { seq: 0, updates: [] };
    const later = log.seq > seq ? log.updates.slice(seq - log.seq) : [];
    this.#logs.set(doc, { seq: log.seq, updates: [state, ...later] });
  }

  async documents(): Promise<string[]> {
    return this.names();
  }

  async removeDocuments(docs: readonly string[]): Promise<number> {
    await this.#writing();
    return docs.filter((doc) => this.#logs.delete(doc)).length;
  }

  async scrub(): Promise<void> {}

  async blob(hash: string): Promise<StoredBlob | undefined> {
    return this.#blobs.get(hash)?.blob;
  }

  async putBlob(hash: string, blob: StoredBlob, added = new Uint8Array()): Promise<void> {
    await this.#writing();
    const before = this.#blobs.get(hash)?.bytes ?? new Uint8Array();
    this.#blobs.set(hash, { blob, bytes: concatBytes([before, added]) });
  }

  async readBlob(hash: string, offset: number): Promise<Uint8Array> {
    const bytes = this.#blobs.get(hash)?.bytes ?? new Uint8Array();
    return bytes.subarray(offset, offset + PART_BYTES);
  }

  async removeBlob(hash: string): Promise<void> {
    await this.#writing();
    this.#blobs.delete(hash);
  }

  async unusedBlobs(time: number): Promise<string[]> {
    return [...this.#blobs]
      .filter(([, { blob }]) => blob.unusedSince !== null && blob.unusedSince <= time)
      .map(([hash]) => hash);
  }

  async get(key: string): Promise<unknown> {
    const stored = this.#entries.get(key);
    return stored === undefined ? undefined : JSON.parse(stored);
  }

  async put(key: string, value: unknown): Promise<void> {
    await this.#writing();
    this.#entries.set(key, JSON.stringify(value));
  }

  async delete(key: string): Promise<void> {
    await this.#writing();
    this.#entries.delete(key);
  }

  async list(prefix: string): Promise<[string, unknown][]> {
    const keys = [...this.#entries.keys()].filter((key) => key.startsWith(prefix)).sort();
    return Promise.all(keys.map(async (key): Promise<[string, unknown]> => [key, await this.get(key)]));
  }

  async clear(): Promise<void> {
    await this.#writing();
    for (const kept of [this.#logs, this.#entries, this.#blobs]) kept.clear();
  }

  /** Every byte that is stored, as one text. */
  dump(): string {
    const updates = [...this.#logs.values()].flatMap((log) => log.updates);
    const blobs = Array.from(this.#blobs.values(), ({ bytes }) => bytes);
    const bytes = [...updates, ...blobs].map((part) => Buffer.from(part).toString('latin1'));
    return [...bytes, ...this.#entries.values(), ...this.#logs.keys()].join('\n');
  }

  /** What is stored now, to be put back later as from a backup. */
  copy(): () => void {
    const logs = new Map(this.#logs);
    return () => {
      this.#logs.clear();
      for (const [doc, log] of logs) this.#logs.set(doc, log);
    };
  }

  /** A write takes a moment, and then fails as a whole or not at all. */
  async #writing(): Promise<void> {
    await Promise.resolve();
    if (this.failure) throw this.failure;
  }
}
