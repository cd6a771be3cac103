import type { BlobStore, BlobUse } from '../../shared/kernel/ports/blob-store.ts';
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
  readonly blobUse = new Map<string, BlobUse>();
  readonly secrets = new Map<string, string>();
  refuse: Error | null = null;
  /** What it does to give free what is kept for what makes room; null when nothing is. */
  reserve: (() => void) | null = null;
  writes = 0;

  /** Becomes a copy of another disk. */
  copyFrom(other: MemoryDisk): void {
    this.updates.splice(0, this.updates.length, ...other.updates);
    for (const [hash, bytes] of other.blobs) this.blobs.set(hash, bytes);
    for (const [hash, use] of other.blobUse) this.blobUse.set(hash, use);
    for (const [name, secret] of other.secrets) this.secrets.set(name, secret);
  }

  /** As on the first day. */
  erase(): void {
    this.updates.splice(0);
    this.blobs.clear();
    this.secrets.clear();
  }

  docs(): DocStore {
    return new MemoryDocs(this);
  }

  blobStore(): BlobStore {
    const use = (hash: string): BlobUse => this.blobUse.get(hash) ?? { usedAt: 0, atRoom: false };
    return {
      put: async (bytes, given = { usedAt: 0, atRoom: false }) => {
        this.#write();
        const hash = await sha256Hex(bytes);
        this.blobs.set(hash, bytes);
        this.blobUse.set(hash, given);
        return hash;
      },
      get: async (hash) => this.blobs.get(hash),
      delete: async (hash) => {
        this.blobs.delete(hash);
        this.blobUse.delete(hash);
      },
      list: async () =>
        Array.from(this.blobs, ([hash, { length }]) => ({ hash, size: length, ...use(hash) })),
      note: async (changes) => {
        this.#write();
        for (const { hash, ...change } of changes) {
          if (this.blobs.has(hash)) this.blobUse.set(hash, { ...use(hash), ...change });
        }
      },
    };
  }

  vault(): Vault {
    return {
      get: async (name) => this.secrets.get(name),
      put: async (name, secret) => {
        this.#write();
        this.secrets.set(name, secret);
      },
      delete: async (name) => void this.secrets.delete(name),
    };
  }

  #write(): void {
    if (this.refuse) throw this.refuse;
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
    const rows = [...this.#disk.updates, ...this.#queue].filter((row) => row.doc === doc);
    return { updates: rows.map((row) => row.bytes) };
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

  async spare(): Promise<boolean> {
    const { reserve } = this.#disk;
    this.#disk.reserve = null;
    reserve?.();
    return reserve !== null;
  }

  async compact(doc: string, state: () => Uint8Array): Promise<void> {
    await this.flush();
    const bytes = state();
    const kept = this.#disk.updates.filter((row) => row.doc !== doc);
    this.#disk.updates.splice(0, this.#disk.updates.length, ...kept, { doc, bytes });
  }

  async remove(doc: string): Promise<void> {
    this.#queue = this.#queue.filter((row) => row.doc !== doc);
    const kept = this.#disk.updates.filter((row) => row.doc !== doc);
    this.#disk.updates.splice(0, this.#disk.updates.length, ...kept);
  }

  async names(prefix: string): Promise<string[]> {
    const names = [...this.#disk.updates, ...this.#queue].map((row) => row.doc);
    return [...new Set(names.filter((name) => name.startsWith(prefix)))].sort();
  }

  async size(): Promise<number> {
    return this.#disk.updates.reduce((total, { bytes }) => total + bytes.length, 0);
  }

  /** As a kill: what was queued is lost, and nothing more is written. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#queue = [];
  }
}
