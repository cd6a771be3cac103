/** Steps of which one is done after the other, also after one that failed. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Resolves and rejects as the step does, when its turn has come. */
  take<T>(step: () => Promise<T>): Promise<T> {
    const result = this.#last.then(step, step);
    this.#last = result.catch(() => {});
    return result;
  }
}
