import type { BlobStore, BlobUse } from '../../shared/kernel/ports/blob-store.ts';
import { sha256Hex } from '../../shared/std/bytes.ts';

const UNUSED: BlobUse = { usedAt: 0, atRoom: false };

/** A BlobStore in memory. `full` makes it refuse new blobs, as a full disk does. */
export class MemoryBlobs implements BlobStore {
  readonly stored = new Map<string, Uint8Array<ArrayBuffer>>();
  readonly #use = new Map<string, BlobUse>();
  full = false;

  async put(bytes: Uint8Array<ArrayBuffer>, use: BlobUse = UNUSED): Promise<string> {
    if (this.full) throw new Error('the disk is full');
    const hash = await sha256Hex(bytes);
    this.stored.set(hash, bytes.slice());
    this.#use.set(hash, use);
    return hash;
  }

  async get(hash: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    return this.stored.get(hash)?.slice();
  }

  async delete(hash: string): Promise<void> {
    this.stored.delete(hash);
    this.#use.delete(hash);
  }

  async list() {
    return Array.from(this.stored, ([hash, { length }]) => ({
      hash,
      size: length,
      ...(this.#use.get(hash) ?? UNUSED),
    }));
  }

  async note(changes: readonly ({ hash: string } & Partial<BlobUse>)[]): Promise<void> {
    for (const { hash, ...change } of changes) {
      if (this.stored.has(hash)) this.#use.set(hash, { ...(this.#use.get(hash) ?? UNUSED), ...change });
    }
  }
}
