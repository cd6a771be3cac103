/** Runs what concerns one key in turn, each after what was asked for before it. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Settles as `run` does. */
  run<T>(key: string, run: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const turn = before.then(run);
    const settled: Promise<void> = turn
      .then(
        () => {},
        () => {},
      )
      .then(() => {
        if (this.#last.get(key) === settled) this.#last.delete(key);
      });
    this.#last.set(key, settled);
    return turn;
  }
}
