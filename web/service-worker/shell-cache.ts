import { sha256Hex } from '../../shared/std/bytes.ts';
import { lazy } from '../../shared/std/lazy.ts';

/**
 * A file of the build. `first`: the page does not open without it; `later`: fetched in the background; `used`: kept
 * once it was used. `revision` is the SHA-256 of a file whose name carries no hash.
 */
export type Entry = { url: string; revision: string | null; when: 'first' | 'later' | 'used' };

export type ShellCacheOptions = {
  caches: CacheStorage;
  fetch(url: string, init?: RequestInit): Promise<Response>;
  manifest: readonly Entry[];
  /** Orders the builds. */
  built: number;
  /** Stands for the headers that the server gives its files: what was kept under others is fetched anew. */
  policy: string;
};

const NAME = /^gsv-shell-([0-9a-f]+)-(\d+)$/;
const INDEX = '/index.html';

/** The files of one build in one cache. Files of older builds stay readable until `tidy`. */
export class ShellCache {
  readonly #options: ShellCacheOptions;
  readonly #name: string;
  readonly #entries: ReadonlyMap<string, Entry>;
  /** Opened once: a page asks for dozens of files at its start. */
  readonly #cache: () => Promise<Cache>;
  #filling: Promise<void> | null = null;

  constructor(options: ShellCacheOptions) {
    this.#options = options;
    this.#name = `gsv-shell-${options.policy}-${options.built}`;
    const entries = options.manifest.map((entry) => [`/${entry.url.replace(/^\//, '')}`, entry] as const);
    this.#entries = new Map(entries);
    this.#cache = lazy(() => options.caches.open(this.#name));
  }

  /** Takes what the page does not open without. Rejects when a file cannot be had, or is of another build. */
  async install(): Promise<void> {
    const wanted = [...this.#entries].filter(([, { when }]) => when === 'first');
    const others = await this.#others();
    await Promise.all(wanted.map(([path, entry]) => this.#take(path, entry, others)));
  }

  /** Takes what else belongs to the build, once for all who ask meanwhile; what cannot be had is fetched when it is used. */
  fill(): Promise<void> {
    this.#filling ??= this.#fill().finally(() => {
      this.#filling = null;
    });
    return this.#filling;
  }

  async #fill(): Promise<void> {
    const others = await this.#others();
    for (const [path, entry] of this.#entries) {
      const task = entry.when === 'used' ? this.#inherit(path, others) : this.#take(path, entry, others);
      await task.catch(() => {});
    }
  }

  /** Whether `path` is a file of this build, or of an earlier one. */
  knows(path: string): boolean {
    return this.#entries.has(path) || path.startsWith('/assets/');
  }

  async index(): Promise<Response> {
    return this.file(INDEX);
  }

  /** A file of this build; one with a hash in its name may be of any. Rejects when it is not kept and cannot be fetched. */
  async file(path: string): Promise<Response> {
    const cache = await this.#cache();
    const kept =
      (await cache.match(path)) ?? (isHashed(path) ? await this.#options.caches.match(path) : null);
    if (kept) return kept;
    const response = await this.#options.fetch(path);
    if (response.ok && isHashed(path)) await cache.put(path, response.clone());
    return response;
  }

  /** Forgets older builds. Only when no page needs them. */
  async tidy(): Promise<void> {
    for (const name of await this.#options.caches.keys()) {
      const [, , built] = NAME.exec(name) ?? [];
      const older = built !== undefined && name !== this.#name && Number(built) <= this.#options.built;
      if (older) await this.#options.caches.delete(name);
    }
  }

  async #take(path: string, { revision }: Entry, others: readonly Cache[]): Promise<void> {
    const cache = await this.#cache();
    if (await cache.match(path)) return;
    if (revision === null && (await this.#inherit(path, others))) return;
    const response = await this.#options.fetch(path, { cache: revision === null ? 'default' : 'no-cache' });
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
    if (revision !== null && (await sha256(response.clone())) !== revision)
      throw new Error(`${path} is of another build`);
    await cache.put(path, response);
  }

  /** Copies a file from another build's cache, if it is there. */
  async #inherit(path: string, others: readonly Cache[]): Promise<boolean> {
    for (const other of others) {
      const kept = await other.match(path);
      if (kept) await (await this.#cache()).put(path, kept);
      if (kept) return true;
    }
    return false;
  }

  /** What other builds keep under the same headers. */
  async #others(): Promise<Cache[]> {
    const names = (await this.#options.caches.keys()).filter((name) => {
      const [, policy] = NAME.exec(name) ?? [];
      return policy === this.#options.policy && name !== this.#name;
    });
    return Promise.all(names.map((name) => this.#options.caches.open(name)));
  }
}

function isHashed(path: string): boolean {
  return path.startsWith('/assets/');
}

async function sha256(response: Response): Promise<string> {
  return sha256Hex(new Uint8Array(await response.arrayBuffer()));
}
