import type { BlobFacts, BlobStore } from '../../../shared/kernel/ports/blob-store.ts';
import type { DocStore } from '../../../shared/kernel/ports/doc-store.ts';
import type { Vault } from '../../../shared/kernel/ports/vault.ts';
import { sha256Hex } from '../../../shared/std/bytes.ts';
import type { Life } from '../engine/life.ts';

/** A queued update is on disk this long after it was queued, at the latest. */
const BATCH_MS = 25;

type Queued = { doc: string; update: Uint8Array };
type StoredBlob = { readonly bytes: Uint8Array<ArrayBuffer>; readonly facts: BlobFacts };

/** How a disk behaves today. */
export type Mood = {
  /** Refuses what makes it larger. */
  full: boolean;
  /** Milliseconds until it answers a write; 0 is at once. */
  slow(): number;
  /** A defect for tests of the tests: says that a write is on disk when it is not, and loses it when the program dies. */
  forgets: boolean;
};

export const goodMood = (): Mood => ({ full: false, slow: () => 0, forgets: false });

/** What one browser stores; outlives the kernels that use it. */
export class ReplicaDisk {
  readonly docs = new Map<string, Uint8Array[]>();
  readonly blobs = new Map<string, StoredBlob>();
  readonly secrets = new Map<string, string>();
  readonly mood = goodMood();
  /** What `forgets` has not written. */
  #unwritten: Queued[] = [];

  erase(): void {
    for (const stored of [this.docs, this.blobs, this.secrets]) stored.clear();
  }

  copyFrom(other: ReplicaDisk): void {
    for (const [doc, updates] of other.docs) this.docs.set(doc, [...updates]);
    for (const [hash, bytes] of other.blobs) this.blobs.set(hash, bytes);
    for (const [name, secret] of other.secrets) this.secrets.set(name, secret);
  }

  docStore(life: Life): DocStore {
    return new QueuedDocs(this, life);
  }

  blobStore(life: Life): BlobStore {
    return blobStoreOf(this, life);
  }

  vault(life: Life): Vault {
    return {
      get: async (name) => this.secrets.get(name),
      put: async (name, secret) => {
        await this.wait(life);
        this.secrets.set(name, secret);
      },
      delete: async (name) => void this.secrets.delete(name),
    };
  }

  /** One transaction. Throws when the disk is full. */
  write(queued: readonly Queued[], life: Life): void {
    if (this.mood.full) throw new Error('the disk is full; make room and try again');
    if (!this.mood.forgets) {
      this.#store(queued);
      return;
    }
    if (this.#unwritten.length === 0) life.onEnd(() => this.#unwritten.splice(0));
    this.#unwritten.push(...queued);
  }

  /** What a program that is running sees of a document. */
  read(doc: string): Uint8Array[] {
    const unwritten = this.#unwritten.flatMap((queued) => (queued.doc === doc ? [queued.update] : []));
    return [...(this.docs.get(doc) ?? []), ...unwritten];
  }

  remove(doc: string): void {
    this.docs.delete(doc);
    this.#unwritten = this.#unwritten.filter((queued) => queued.doc !== doc);
  }

  get bytes(): number {
    let bytes = 0;
    for (const updates of this.docs.values()) for (const update of updates) bytes += update.length;
    return bytes;
  }

  async wait(life: Life): Promise<void> {
    const ms = this.mood.slow();
    if (ms > 0) await new Promise<void>((resolve) => life.clock().after(ms, resolve));
  }

  #store(queued: readonly Queued[]): void {
    for (const { doc, update } of queued) {
      const updates = this.docs.get(doc);
      if (updates) updates.push(update);
      else this.docs.set(doc, [update]);
    }
  }
}

class QueuedDocs implements DocStore {
  readonly #disk: ReplicaDisk;
  readonly #life: Life;
  #queue: Queued[] = [];
  #scheduled = false;

  constructor(disk: ReplicaDisk, life: Life) {
    this.#disk = disk;
    this.#life = life;
  }

  async load(doc: string): Promise<{ updates: Uint8Array[] }> {
    const queued = this.#queue.flatMap((one) => (one.doc === doc ? [one.update] : []));
    return { updates: [...this.#disk.read(doc), ...queued] };
  }

  append(doc: string, update: Uint8Array): void {
    this.#queue.push({ doc, update });
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#life.clock().after(BATCH_MS, () => {
      this.#scheduled = false;
      void this.flush().catch(() => {});
    });
  }

  /** What is queued is taken when the disk gets to it, all at once. */
  async flush(): Promise<void> {
    await this.#disk.wait(this.#life);
    if (this.#life.over || this.#queue.length === 0) return;
    this.#disk.write(this.#queue, this.#life);
    this.#queue = [];
  }

  async spare(): Promise<boolean> {
    return false;
  }

  /** Who is frozen or gone by now cannot be asked for the state. */
  async compact(doc: string, state: () => Uint8Array): Promise<void> {
    await this.flush();
    if (!this.#life.running) throw new Error('nobody answers');
    if (!this.#disk.mood.forgets) this.#disk.docs.set(doc, [state()]);
  }

  async remove(doc: string): Promise<void> {
    this.#queue = this.#queue.filter((one) => one.doc !== doc);
    this.#disk.remove(doc);
  }

  async size(): Promise<number> {
    return this.#disk.bytes;
  }

  async names(prefix: string): Promise<string[]> {
    const names = [...this.#disk.docs.keys(), ...this.#queue.map(({ doc }) => doc)];
    return [...new Set(names.filter((name) => name.startsWith(prefix)))].sort();
  }

  async lastName(prefix: string): Promise<string | undefined> {
    return (await this.names(prefix)).at(-1);
  }

  async close(): Promise<void> {
    this.#queue = [];
  }
}

function blobStoreOf(disk: ReplicaDisk, life: Life): BlobStore {
  const { blobs } = disk;
  return {
    put: async (bytes, use = { usedAt: life.clock().now(), atRoom: false }) => {
      await disk.wait(life);
      if (disk.mood.full) throw new Error('the disk is full');
      const hash = await sha256Hex(bytes);
      blobs.set(hash, { bytes: bytes.slice(), facts: { hash, size: bytes.length, ...use } });
      return hash;
    },
    get: async (hash) => blobs.get(hash)?.bytes.slice(),
    delete: async (hash) => void blobs.delete(hash),
    list: async () => Array.from(blobs.values(), ({ facts }) => ({ ...facts })),
    note: async (changes) => {
      for (const { hash, ...changed } of changes) {
        const known = blobs.get(hash);
        if (known) blobs.set(hash, { ...known, facts: { ...known.facts, ...changed } });
      }
    },
  };
}
