import type { BlobFacts, BlobStore, BlobUse } from '../../../shared/kernel/ports/blob-store.ts';
import { sha256Hex } from '../../../shared/std/bytes.ts';
import { type Database, storageProblem } from './database.ts';

const UNUSED: BlobUse = { usedAt: 0, atRoom: false };

/** Contents by hash in Dexie. */
export class DexieBlobs implements BlobStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async put(bytes: Uint8Array<ArrayBuffer>, use: BlobUse = UNUSED): Promise<string> {
    const hash = await sha256Hex(bytes);
    const { blobs, blobFacts } = this.#database;
    await this.#write(async () => {
      await blobs.put({ hash, bytes });
      await blobFacts.put({ hash, size: bytes.length, ...use });
    });
    return hash;
  }

  async get(hash: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    return (await this.#database.blobs.get(hash))?.bytes;
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
    const size = (await blobs.get(hash))?.bytes.length ?? 0;
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
