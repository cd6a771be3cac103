import type { BlobStore } from '../../../shared/kernel/ports/blob-store.ts';
import { sha256Hex } from '../../../shared/std/bytes.ts';
import { type Database, storageProblem } from './database.ts';

/** Contents by hash in Dexie. */
export class DexieBlobs implements BlobStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async put(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
    const hash = await sha256Hex(bytes);
    try {
      await this.#database.blobs.put({ hash, bytes });
    } catch (thrown) {
      throw storageProblem(thrown);
    }
    return hash;
  }

  async get(hash: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    return (await this.#database.blobs.get(hash))?.bytes;
  }

  async delete(hash: string): Promise<void> {
    await this.#database.blobs.delete(hash);
  }
}
