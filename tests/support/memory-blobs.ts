import type { BlobStore } from '../../shared/kernel/ports/blob-store.ts';
import { sha256Hex } from '../../shared/std/bytes.ts';

/** A BlobStore in memory. `full` makes it refuse new blobs, as a full disk does. */
export class MemoryBlobs implements BlobStore {
  readonly stored = new Map<string, Uint8Array<ArrayBuffer>>();
  full = false;

  async put(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
    if (this.full) throw new Error('the disk is full');
    const hash = await sha256Hex(bytes);
    this.stored.set(hash, bytes.slice());
    return hash;
  }

  async get(hash: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    return this.stored.get(hash)?.slice();
  }

  async delete(hash: string): Promise<void> {
    this.stored.delete(hash);
  }
}
