import type { RoomStorage, StoredDocument } from '../../sync-server/room/storage.ts';

/** The room's storage in memory: outlives a room, and fails when told to. */
export class MemoryRoomStorage implements RoomStorage {
  /** Set to make every write of a document reject with it. */
  failure: Error | null = null;
  readonly #logs = new Map<string, { seq: number; updates: Uint8Array[] }>();
  readonly #entries = new Map<string, string>();

  async append(doc: string, updates: readonly Uint8Array[]): Promise<number> {
    await Promise.resolve();
    if (this.failure) throw this.failure;
    const log = this.#logs.get(doc) ?? { seq: 0, updates: [] };
    this.#logs.set(doc, { seq: log.seq + updates.length, updates: [...log.updates, ...updates] });
    return log.seq + updates.length;
  }

  async load(doc: string): Promise<StoredDocument> {
    return this.#logs.get(doc) ?? { seq: 0, updates: [] };
  }

  async compact(doc: string, seq: number, state: Uint8Array): Promise<void> {
    if (this.failure) throw this.failure;
    const log = this.#logs.get(doc) ?? { seq: 0, updates: [] };
    const later = log.seq > seq ? log.updates.slice(seq - log.seq) : [];
    this.#logs.set(doc, { seq: log.seq, updates: [state, ...later] });
  }

  async removeDocuments(): Promise<void> {
    this.#logs.clear();
  }

  async get(key: string): Promise<unknown> {
    const stored = this.#entries.get(key);
    return stored === undefined ? undefined : JSON.parse(stored);
  }

  async put(key: string, value: unknown): Promise<void> {
    this.#entries.set(key, JSON.stringify(value));
  }

  async delete(key: string): Promise<void> {
    this.#entries.delete(key);
  }

  async list(prefix: string): Promise<[string, unknown][]> {
    const keys = [...this.#entries.keys()].filter((key) => key.startsWith(prefix)).sort();
    return Promise.all(keys.map(async (key): Promise<[string, unknown]> => [key, await this.get(key)]));
  }
}
