import type { RoomStorage, StoredBlob, StoredDocument } from '../../../sync-server/room/storage.ts';
import type { Life } from '../engine/life.ts';
import { goodMood } from './replica-disk.ts';

type Log = { seq: number; updates: Uint8Array[] };
type Blob = StoredBlob & { bytes: Uint8Array };
type Stored = { logs: Map<string, Log>; entries: Map<string, string>; blobs: Map<string, Blob> };

const PIECE_BYTES = 1024 * 1024;

/** What the room stores; outlives the rooms that use it. */
export class RoomDisk {
  readonly mood = goodMood();
  /** A defect for tests of the tests: entries under these prefixes are lost when a room starts. */
  losesAtStart: string[] = [];
  #stored: Stored = { logs: new Map(), entries: new Map(), blobs: new Map() };
  /** With `mood.forgets`: what was there when the room started, to which a kill goes back. */
  #before: Stored | null = null;

  get logs(): ReadonlyMap<string, Log> {
    return this.#stored.logs;
  }

  copyFrom(other: RoomDisk): void {
    this.#stored = copyOf(other.#stored);
  }

  storage(life: Life): RoomStorage {
    for (const key of this.#stored.entries.keys()) {
      if (this.losesAtStart.some((prefix) => key.startsWith(prefix))) this.#stored.entries.delete(key);
    }
    if (this.mood.forgets) {
      this.#before = copyOf(this.#stored);
      life.onEnd(() => {
        if (this.#before) this.#stored = this.#before;
      });
    }
    const change = async (write: () => void): Promise<void> => {
      const ms = this.mood.slow();
      if (ms > 0) await new Promise<void>((resolve) => life.clock().after(ms, resolve));
      if (life.over) return;
      if (this.mood.full) throw new Error('the disk of the server is full');
      write();
    };
    const turn = (): Promise<void> => new Promise((resolve) => life.clock().after(0, resolve));
    return { turn, ...this.#documents(change), ...this.#entries(change), ...this.#blobs(change) };
  }

  #documents(
    change: Change,
  ): Pick<RoomStorage, 'append' | 'load' | 'compact' | 'documents' | 'removeDocuments' | 'scrub' | 'clear'> {
    const log = (doc: string): Log => this.#stored.logs.get(doc) ?? { seq: 0, updates: [] };
    return {
      append: async (doc, updates) => {
        await change(() => {
          const { seq, updates: known } = log(doc);
          this.#stored.logs.set(doc, { seq: seq + updates.length, updates: [...known, ...updates] });
        });
        return log(doc).seq;
      },
      load: async (doc): Promise<StoredDocument> => log(doc),
      documents: async () => [...this.#stored.logs.keys()],
      compact: (doc, seq, state) =>
        change(() => {
          const { seq: newest, updates } = log(doc);
          const later = newest > seq ? updates.slice(seq - newest) : [];
          this.#stored.logs.set(doc, { seq: newest, updates: [state, ...later] });
        }),
      removeDocuments: async (docs) => {
        const there = docs.filter((doc) => this.#stored.logs.has(doc));
        await change(() => {
          for (const doc of docs) this.#stored.logs.delete(doc);
        });
        return there.length;
      },
      scrub: async () => {},
      clear: () =>
        change(() => {
          this.#stored = { logs: new Map(), entries: new Map(), blobs: new Map() };
        }),
    };
  }

  #entries(change: Change): Pick<RoomStorage, 'get' | 'put' | 'delete' | 'list'> {
    const read = (key: string): unknown => {
      const stored = this.#stored.entries.get(key);
      return stored === undefined ? undefined : JSON.parse(stored);
    };
    return {
      get: async (key) => read(key),
      put: (key, value) => change(() => void this.#stored.entries.set(key, JSON.stringify(value))),
      delete: (key) => change(() => void this.#stored.entries.delete(key)),
      list: async (prefix) => {
        const keys = [...this.#stored.entries.keys()].filter((key) => key.startsWith(prefix)).sort();
        return keys.map((key): [string, unknown] => [key, read(key)]);
      },
    };
  }

  #blobs(change: Change): Pick<RoomStorage, 'blob' | 'putBlob' | 'readBlob' | 'removeBlob' | 'unusedBlobs'> {
    return {
      blob: async (hash) => {
        const blob = this.#stored.blobs.get(hash);
        return blob && { stored: blob.stored, whole: blob.whole, unusedSince: blob.unusedSince };
      },
      putBlob: (hash, blob, added) =>
        change(() => {
          const known = this.#stored.blobs.get(hash)?.bytes ?? new Uint8Array(0);
          const bytes = added ? Uint8Array.from([...known, ...added]) : known;
          this.#stored.blobs.set(hash, { ...blob, bytes });
        }),
      readBlob: async (hash, offset) =>
        this.#stored.blobs.get(hash)?.bytes.slice(offset, offset + PIECE_BYTES) ?? new Uint8Array(0),
      removeBlob: (hash) => change(() => void this.#stored.blobs.delete(hash)),
      unusedBlobs: async (time) =>
        [...this.#stored.blobs].flatMap(([hash, { unusedSince }]) =>
          unusedSince !== null && unusedSince <= time ? [hash] : [],
        ),
    };
  }
}

type Change = (write: () => void) => Promise<void>;

/** Values are replaced and never changed, so the maps are all there is to copy. */
function copyOf({ logs, entries, blobs }: Stored): Stored {
  return { logs: new Map(logs), entries: new Map(entries), blobs: new Map(blobs) };
}
