import type { Clock } from '../../std/clock.ts';
import type { BlobFacts, BlobStore } from '../ports/blob-store.ts';

/** When a blob was read last is written down together with others, after this long. */
const NOTE_MS = 10_000;

/** The blobs of this host with what is known of each, in memory as on disk. */
export class BlobIndex {
  readonly #store: BlobStore;
  readonly #clock: Clock;
  readonly #facts = new Map<string, BlobFacts>();
  /** Read since it was last written down. */
  readonly #touched = new Set<string>();
  #bytes = 0;
  #turn: Promise<unknown> = Promise.resolve();
  #cancelNote: (() => void) | null = null;

  private constructor(store: BlobStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  static async load(store: BlobStore, clock: Clock): Promise<BlobIndex> {
    const index = new BlobIndex(store, clock);
    for (const facts of await store.list()) index.#set(facts);
    return index;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get facts(): BlobFacts[] {
    return [...this.#facts.values()];
  }

  get onlyHere(): BlobFacts[] {
    return this.facts.filter(({ atRoom }) => !atRoom);
  }

  /** What can be fetched again, least recently used first. */
  get evictable(): BlobFacts[] {
    return this.facts.filter(({ atRoom }) => atRoom).sort((a, b) => a.usedAt - b.usedAt);
  }

  /** Whether it is here, and the room said that it has it. */
  atRoom(hash: string): boolean {
    return this.#facts.get(hash)?.atRoom === true;
  }

  has(hash: string): boolean {
    return this.#facts.has(hash);
  }

  put(bytes: Uint8Array<ArrayBuffer>, atRoom: boolean): Promise<string> {
    return this.#alone(async () => {
      const use = { usedAt: this.#clock.now(), atRoom };
      const hash = await this.#store.put(bytes, use);
      this.#set({ hash, size: bytes.length, ...use });
      return hash;
    });
  }

  /** The bytes, as used now. */
  async get(hash: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const bytes = await this.#store.get(hash);
    const facts = this.#facts.get(hash);
    if (bytes && facts) this.#touch(facts);
    return bytes;
  }

  /** The bytes, for nobody's use. */
  peek(hash: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    return this.#store.get(hash);
  }

  async mark(hashes: readonly string[], atRoom: boolean): Promise<void> {
    const changes = hashes.flatMap((hash) => {
      const facts = this.#facts.get(hash);
      return facts && facts.atRoom !== atRoom ? [{ hash, atRoom }] : [];
    });
    if (changes.length === 0) return;
    // A full disk does not take it. The room is asked again at the next start, and before anything is evicted.
    await this.#store.note(changes).catch(() => {});
    for (const { hash } of changes) {
      const facts = this.#facts.get(hash);
      if (facts) this.#set({ ...facts, atRoom });
    }
  }

  delete(hash: string): Promise<void> {
    return this.#alone(() => this.#delete(hash));
  }

  /** Deletes what the room has; anything else stays, also what was stored again a moment ago. */
  evict(hash: string): Promise<void> {
    return this.#alone(async () => {
      if (this.#facts.get(hash)?.atRoom) await this.#delete(hash);
    });
  }

  stop(): void {
    this.#cancelNote?.();
  }

  async #delete(hash: string): Promise<void> {
    await this.#store.delete(hash);
    this.#bytes -= this.#facts.get(hash)?.size ?? 0;
    this.#facts.delete(hash);
    this.#touched.delete(hash);
  }

  /** Storing and deleting never overlap. */
  #alone<T>(run: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(run);
    this.#turn = done.catch(() => {});
    return done;
  }

  #set(facts: BlobFacts): void {
    this.#bytes += facts.size - (this.#facts.get(facts.hash)?.size ?? 0);
    this.#facts.set(facts.hash, facts);
  }

  #touch(facts: BlobFacts): void {
    this.#set({ ...facts, usedAt: this.#clock.now() });
    this.#touched.add(facts.hash);
    this.#cancelNote ??= this.#clock.after(NOTE_MS, () => void this.#note());
  }

  /** When it cannot be written down, eviction will know less well what was used; nothing else is lost. */
  async #note(): Promise<void> {
    this.#cancelNote = null;
    const changes = [...this.#touched].flatMap((hash) => {
      const facts = this.#facts.get(hash);
      return facts ? [{ hash, usedAt: facts.usedAt }] : [];
    });
    this.#touched.clear();
    await this.#store.note(changes).catch(() => {});
  }
}
