/** Steps of which one that shares a key with others is done after those that were asked for before, also after failed ones. */
export class KeyedTurns {
  readonly #last = new Map<string, Promise<void>>();

  /** Resolves and rejects as the step does, when the turn has come for each of its keys. */
  take<T>(keys: readonly string[], step: () => Promise<T>): Promise<T> {
    const result = Promise.all(keys.map((key) => this.#last.get(key))).then(step);
    const over: Promise<void> = result
      .catch(() => {})
      .then(() => {
        for (const key of keys) if (this.#last.get(key) === over) this.#last.delete(key);
      });
    for (const key of keys) this.#last.set(key, over);
    return result;
  }
}
