import type { BlobFacts, BlobStore, BlobUse } from '../../../shared/kernel/ports/blob-store.ts';
import { sha256Hex } from '../../../shared/std/bytes.ts';
import { type BlobRow, type Database, storageProblem } from './database.ts';
import { type DiskKey, SEAL_BYTES } from './disk-key.ts';

const UNUSED: BlobUse = { usedAt: 0, atRoom: false };

/** Contents by hash in Dexie, sealed. What was stored before there was a key is read as it is. */
export class DexieBlobs implements BlobStore {
  readonly #database: Database;
  readonly #key: DiskKey;

  constructor(database: Database, key: DiskKey) {
    this.#database = database;
    this.#key = key;
  }

  async put(bytes: Uint8Array<ArrayBuffer>, use: BlobUse = UNUSED): Promise<string> {
    const hash = await sha256Hex(bytes);
    const sealed = await this.#key.seal(bytes, `blob ${hash}`);
    const { blobs, blobFacts } = this.#database;
    await this.#write(async () => {
      await blobs.put({ hash, bytes: sealed, sealed: true });
      await blobFacts.put({ hash, size: bytes.length, ...use });
    });
    return hash;
  }

  async get(hash: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const row = await this.#database.blobs.get(hash);
    if (!row) return undefined;
    return row.sealed ? this.#key.open(row.bytes, `blob ${hash}`) : row.bytes;
  }

  async delete(hash: string): Promise<void> {
    const { blobs, blobFacts } = this.#database;
    await this.#write(async () => {
      await blobs.delete(hash);
      await blobFacts.delete(hash);
    });
  }

  async list(): Promise<BlobFacts[]> {
    const { blobs, blobFacts } = this.#database;
    const known = new Map((await blobFacts.toArray()).map((facts) => [facts.hash, facts]));
    const hashes = await blobs.toCollection().primaryKeys();
    return Promise.all(hashes.map(async (hash) => known.get(hash) ?? this.#measure(hash)));
  }

  async note(changes: readonly ({ hash: string } & Partial<BlobUse>)[]): Promise<void> {
    const { blobFacts } = this.#database;
    await this.#write(async () => {
      for (const { hash, ...change } of changes) await blobFacts.update(hash, change);
    });
  }

  /** A blob stored before facts were kept: it is looked at once. */
  async #measure(hash: string): Promise<BlobFacts> {
    const { blobs, blobFacts } = this.#database;
    const size = sizeOf(await blobs.get(hash));
    const facts = { hash, size, ...UNUSED };
    // On a full disk it is looked at again next time.
    await blobFacts.put(facts).catch(() => {});
    return facts;
  }

  async #write(run: () => Promise<void>): Promise<void> {
    const { blobs, blobFacts } = this.#database;
    try {
      await this.#database.transaction('rw', blobs, blobFacts, run);
    } catch (thrown) {
      throw storageProblem(thrown);
    }
  }
}

function sizeOf(row: BlobRow | undefined): number {
  return row ? row.bytes.length - (row.sealed ? SEAL_BYTES : 0) : 0;
}
