import type { BlobStore } from '../../shared/kernel/ports/blob-store.ts';
import type { DocStore } from '../../shared/kernel/ports/doc-store.ts';
import type { Vault } from '../../shared/kernel/ports/vault.ts';
import { sha256Hex } from '../../shared/std/bytes.ts';

/**
 * A disk for unit tests: what was flushed is on `disk` and survives `crash()`, what was only queued does not.
 * `refuse` makes writes fail until it is taken back.
 */
export class MemoryDisk {
  readonly updates: { doc: string; bytes: Uint8Array }[] = [];
  readonly blobs = new Map<string, Uint8Array<ArrayBuffer>>();
  readonly secrets = new Map<string, string>();
  refuse: Error | null = null;
  writes = 0;

  /** Becomes a copy of another disk. */
  copyFrom(other: MemoryDisk): void {
    this.updates.splice(0, this.updates.length, ...other.updates);
    for (const [hash, bytes] of other.blobs) this.blobs.set(hash, bytes);
    for (const [name, secret] of other.secrets) this.secrets.set(name, secret);
  }

  docs(): DocStore {
    return new MemoryDocs(this);
  }

  blobStore(): BlobStore {
    return {
      put: async (bytes) => {
        if (this.refuse) throw this.refuse;
        const hash = await sha256Hex(bytes);
        this.blobs.set(hash, bytes);
        return hash;
      },
      get: async (hash) => this.blobs.get(hash),
      delete: async (hash) => void this.blobs.delete(hash),
    };
  }

  vault(): Vault {
    return {
      get: async (name) => this.secrets.get(name),
      put: async (name, secret) => void this.secrets.set(name, secret),
      delete: async (name) => void this.secrets.delete(name),
    };
  }
}

class MemoryDocs implements DocStore {
  readonly #disk: MemoryDisk;
  #queue: { doc: string; bytes: Uint8Array }[] = [];
  #closed = false;

  constructor(disk: MemoryDisk) {
    this.#disk = disk;
  }

  async load(doc: string) {
    return { updates: this.#disk.updates.filter((row) => row.doc === doc).map((row) => row.bytes) };
  }

  append(doc: string, bytes: Uint8Array): void {
    this.#queue.push({ doc, bytes });
  }

  async flush(): Promise<void> {
    await Promise.resolve();
    if (this.#closed) throw new Error('The disk is gone');
    if (this.#disk.refuse) throw this.#disk.refuse;
    if (this.#queue.length === 0) return;
    this.#disk.updates.push(...this.#queue);
    this.#disk.writes += 1;
    this.#queue = [];
  }

  async compact(doc: string, state: () => Uint8Array): Promise<void> {
    await this.flush();
    const bytes = state();
    const kept = this.#disk.updates.filter((row) => row.doc !== doc);
    this.#disk.updates.splice(0, this.#disk.updates.length, ...kept, { doc, bytes });
  }

  async remove(doc: string): Promise<void> {
    await this.flush();
    const kept = this.#disk.updates.filter((row) => row.doc !== doc);
    this.#disk.updates.splice(0, this.#disk.updates.length, ...kept);
  }

  async names(prefix: string): Promise<string[]> {
    const names = [...this.#disk.updates, ...this.#queue].map((row) => row.doc);
    return [...new Set(names.filter((name) => name.startsWith(prefix)))].sort();
  }

  async lastName(prefix: string): Promise<string | undefined> {
    return (await this.names(prefix)).at(-1);
  }

  /** As a kill: what was queued is lost, and nothing more is written. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#queue = [];
  }
}
