/** The caches of a browser, in memory: what the service worker's own code uses of them. */
export class MemoryCaches {
  readonly #caches = new Map<string, MemoryCache>();

  async open(name: string): Promise<Cache> {
    const cache = this.#caches.get(name) ?? new MemoryCache();
    this.#caches.set(name, cache);
    return cache as unknown as Cache;
  }

  async keys(): Promise<string[]> {
    return [...this.#caches.keys()];
  }

  async delete(name: string): Promise<boolean> {
    return this.#caches.delete(name);
  }

  async match(path: string): Promise<Response | undefined> {
    for (const cache of this.#caches.values()) {
      const found = await cache.match(path);
      if (found) return found;
    }
    return undefined;
  }

  /** As the browser types it. */
  get storage(): CacheStorage {
    return this as unknown as CacheStorage;
  }
}

class MemoryCache {
  readonly #responses = new Map<string, Response>();

  async match(path: string): Promise<Response | undefined> {
    return this.#responses.get(path)?.clone();
  }

  async put(path: string, response: Response): Promise<void> {
    this.#responses.set(path, response);
  }

  async keys(): Promise<{ url: string }[]> {
    return [...this.#responses.keys()].map((url) => ({ url }));
  }

  async delete(request: string | { url: string }): Promise<boolean> {
    return this.#responses.delete(typeof request === 'string' ? request : request.url);
  }
}
