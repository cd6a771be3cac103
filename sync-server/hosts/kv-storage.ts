import { concatBytes } from '../../shared/std/bytes.ts';
import type { RoomStorage, StoredBlob, StoredDocument } from '../room/storage.ts';

/** What the storage needs of a Durable Object without SQL. One value holds at most 128 KiB. */
type Transaction = {
  put<T>(entries: Record<string, T>): Promise<void>;
  delete(keys: string[]): Promise<number>;
};
export type KeyValues = {
  get<T>(key: string): Promise<T | undefined>;
  put<T>(key: string, value: T): Promise<void>;
  delete(key: string): Promise<boolean>;
  list<T>(options: {
    prefix: string;
    startAfter?: string;
    end?: string;
    limit: number;
    reverse?: boolean;
  }): Promise<Map<string, T>>;
  transaction<T>(run: (transaction: Transaction) => Promise<T>): Promise<T>;
  sync(): Promise<void>;
};

const PART_BYTES = 96 * 1024;
/** The runtime's limit for the keys of one put or delete. */
const KEYS_AT_ONCE = 128;
/** Keys read at once, which bounds what a listing holds in memory. */
const PAGE = 256;
const UPDATES = 'u/';
const ENTRIES = 'e/';
const BLOBS = 'b/';
const BLOB_PARTS = 'p/';
/** Documents whose newest number is remembered. */
const KNOWN_SEQS = 256;
const NOTHING = new Uint8Array();

/** The room's storage where there is no SQL: updates cut into parts under keys that sort. */
export class KeyValueStorage implements RoomStorage {
  readonly #storage: KeyValues;
  readonly #seqs = new Map<string, number>();

  constructor(storage: KeyValues) {
    this.#storage = storage;
  }

  turn(): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, 0));
  }

  async append(doc: string, updates: readonly Uint8Array[]): Promise<number> {
    const before = await this.#lastSeq(doc);
    const entries = updates.flatMap((update, at) => partsOf(doc, before + 1 + at, update));
    await this.#storage.transaction((transaction) => putAll(transaction, entries));
    await this.#storage.sync();
    this.#remember(doc, before + updates.length);
    return before + updates.length;
  }

  async load(doc: string): Promise<StoredDocument> {
    const parts = new Map<number, Uint8Array[]>();
    for await (const [key, part] of this.#each<Uint8Array>(prefixOf(doc))) {
      const seq = seqOf(key);
      parts.set(seq, [...(parts.get(seq) ?? []), part]);
    }
    return { seq: await this.#lastSeq(doc), updates: Array.from(parts.values(), concatBytes) };
  }

  async compact(doc: string, seq: number, state: Uint8Array): Promise<void> {
    const old: string[] = [];
    for await (const [key] of this.#each(prefixOf(doc))) if (seqOf(key) <= seq) old.push(key);
    await this.#storage.transaction(async (transaction) => {
      await deleteAll(transaction, old);
      await putAll(transaction, partsOf(doc, seq, state));
    });
    await this.#storage.sync();
  }

  async documents(): Promise<string[]> {
    const names = new Set<string>();
    for await (const [key] of this.#each(UPDATES)) names.add(nameOf(key));
    return [...names];
  }

  async removeDocuments(docs: readonly string[]): Promise<number> {
    const keys = await Promise.all(docs.map((doc) => this.#keys(prefixOf(doc))));
    await this.#delete(keys.flat());
    for (const doc of docs) this.#seqs.delete(doc);
    return keys.filter((own) => own.length > 0).length;
  }

  /** What lies below keys and values is the host's own. */
  async scrub(): Promise<void> {}

  blob(hash: string): Promise<StoredBlob | undefined> {
    return this.#storage.get(BLOBS + hash);
  }

  async putBlob(hash: string, blob: StoredBlob, added = NOTHING): Promise<void> {
    await this.#storage.transaction(async (transaction) => {
      await putAll(transaction, blobParts(hash, blob.stored - added.length, added));
      await transaction.put({ [BLOBS + hash]: blob });
    });
    await this.#storage.sync();
  }

  async readBlob(hash: string, offset: number): Promise<Uint8Array> {
    const prefix = `${BLOB_PARTS}${hash}/`;
    const end = blobPartKey(hash, offset + 1);
    const [part] = await this.#storage.list<Uint8Array>({ prefix, end, reverse: true, limit: 1 });
    return part ? part[1].subarray(offset - Number(part[0].slice(prefix.length))) : NOTHING;
  }

  async removeBlob(hash: string): Promise<void> {
    await this.#delete([BLOBS + hash, ...(await this.#keys(`${BLOB_PARTS}${hash}/`))]);
  }

  async unusedBlobs(time: number): Promise<string[]> {
    const hashes: string[] = [];
    for await (const [key, { unusedSince }] of this.#each<StoredBlob>(BLOBS)) {
      if (unusedSince !== null && unusedSince <= time) hashes.push(key.slice(BLOBS.length));
    }
    return hashes;
  }

  async clear(): Promise<void> {
    const keys = await Promise.all([UPDATES, ENTRIES, BLOBS, BLOB_PARTS].map((kind) => this.#keys(kind)));
    await this.#delete(keys.flat());
    this.#seqs.clear();
  }

  get(key: string): Promise<unknown> {
    return this.#storage.get(ENTRIES + key);
  }

  async put(key: string, value: unknown): Promise<void> {
    await this.#storage.put(ENTRIES + key, value);
    await this.#storage.sync();
  }

  async delete(key: string): Promise<void> {
    await this.#storage.delete(ENTRIES + key);
    await this.#storage.sync();
  }

  async list(prefix: string): Promise<[string, unknown][]> {
    const entries: [string, unknown][] = [];
    for await (const [key, value] of this.#each(ENTRIES + prefix))
      entries.push([key.slice(ENTRIES.length), value]);
    return entries;
  }

  async #lastSeq(doc: string): Promise<number> {
    const known = this.#seqs.get(doc);
    if (known !== undefined) return known;
    const [newest] = (await this.#storage.list({ prefix: prefixOf(doc), reverse: true, limit: 1 })).keys();
    const seq = newest === undefined ? 0 : seqOf(newest);
    this.#remember(doc, seq);
    return seq;
  }

  #remember(doc: string, seq: number): void {
    this.#seqs.delete(doc);
    this.#seqs.set(doc, seq);
    const [oldest] = this.#seqs.keys();
    if (this.#seqs.size > KNOWN_SEQS && oldest !== undefined) this.#seqs.delete(oldest);
  }

  async #keys(prefix: string): Promise<string[]> {
    const keys: string[] = [];
    for await (const [key] of this.#each(prefix)) keys.push(key);
    return keys;
  }

  async #delete(keys: string[]): Promise<void> {
    await this.#storage.transaction((transaction) => deleteAll(transaction, keys));
    await this.#storage.sync();
  }

  async *#each<T>(prefix: string): AsyncGenerator<[string, T]> {
    let startAfter: string | undefined;
    for (;;) {
      const page: Map<string, T> = await this.#storage.list<T>({
        prefix,
        limit: PAGE,
        ...(startAfter === undefined ? {} : { startAfter }),
      });
      yield* page;
      if (page.size < PAGE) return;
      startAfter = [...page.keys()].at(-1);
    }
  }
}

function prefixOf(doc: string): string {
  return `${UPDATES}${encodeURIComponent(doc)}/`;
}

function nameOf(key: string): string {
  return decodeURIComponent(key.split('/')[1] ?? '');
}

/** Keys end with the number of the update and of its part, in twelve and six digits. */
function seqOf(key: string): number {
  return Number(key.split('/').at(-2));
}

function partsOf(doc: string, seq: number, bytes: Uint8Array): [string, Uint8Array][] {
  const parts: [string, Uint8Array][] = [];
  for (let part = 0; part * PART_BYTES < Math.max(1, bytes.length); part += 1) {
    const key = `${prefixOf(doc)}${String(seq).padStart(12, '0')}/${String(part).padStart(6, '0')}`;
    parts.push([key, bytes.slice(part * PART_BYTES, (part + 1) * PART_BYTES)]);
  }
  return parts;
}

function blobPartKey(hash: string, start: number): string {
  return `${BLOB_PARTS}${hash}/${String(start).padStart(12, '0')}`;
}

function blobParts(hash: string, start: number, bytes: Uint8Array): [string, Uint8Array][] {
  const parts: [string, Uint8Array][] = [];
  for (let at = 0; at < bytes.length; at += PART_BYTES)
    parts.push([blobPartKey(hash, start + at), bytes.slice(at, at + PART_BYTES)]);
  return parts;
}

async function putAll(transaction: Transaction, entries: [string, Uint8Array][]): Promise<void> {
  for (let at = 0; at < entries.length; at += KEYS_AT_ONCE) {
    await transaction.put(Object.fromEntries(entries.slice(at, at + KEYS_AT_ONCE)));
  }
}

async function deleteAll(transaction: Transaction, keys: string[]): Promise<void> {
  for (let at = 0; at < keys.length; at += KEYS_AT_ONCE)
    await transaction.delete(keys.slice(at, at + KEYS_AT_ONCE));
}
