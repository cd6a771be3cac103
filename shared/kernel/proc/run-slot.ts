type Waiting = { since: number; enter(leave: () => void): void };

/** The place for the one run of a process. Of those who wait, the one with the oldest work comes next. */
export class RunSlot {
  readonly #waiting: Waiting[] = [];
  #taken = false;

  get isTaken(): boolean {
    return this.#taken;
  }

  /** Takes it if nobody has it or waits. What is returned gives it back. */
  tryTake(): (() => void) | null {
    if (this.#taken || this.#waiting.length > 0) return null;
    this.#taken = true;
    return this.#leaver();
  }

  /** Resolves when it is free, or with null when `signal` aborts. `since`: when this work came, in milliseconds. */
  take(since: number, signal: AbortSignal): Promise<(() => void) | null> {
    const free = signal.aborted ? null : this.tryTake();
    if (free || signal.aborted) return Promise.resolve(free);
    return new Promise((resolve) => {
      const waiting: Waiting = {
        since,
        enter: (leave) => {
          signal.removeEventListener('abort', giveUp);
          resolve(leave);
        },
      };
      const giveUp = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        resolve(null);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      this.#waiting.push(waiting);
    });
  }

  #leaver(): () => void {
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#next();
    };
  }

  #next(): void {
    this.#waiting.sort((a, b) => a.since - b.since);
    const next = this.#waiting.shift();
    this.#taken = next !== undefined;
    next?.enter(this.#leaver());
  }
}
