import { type Deferred, deferred } from '../../shared/std/deferred.ts';

/** A place where a scripted program waits for its test, instead of for time. Closed at first. */
export class Gate {
  #open = false;
  #permits = 0;
  #waiting: Deferred<void>[] = [];
  #arrivals: Deferred<void>[] = [];

  /** Waits until the gate lets one more through, or until `gone`: who has left takes nobody's turn. */
  async pass(gone?: Promise<unknown>): Promise<void> {
    if (this.#open) return;
    if (this.#permits > 0) {
      this.#permits -= 1;
      return;
    }
    const turn = deferred<void>();
    this.#waiting.push(turn);
    for (const arrival of this.#arrivals.splice(0)) arrival.resolve();
    void gone?.then(() => this.#leave(turn));
    await turn.promise;
  }

  /** Lets `count` more through, those that wait first. */
  step(count = 1): void {
    for (let left = count; left > 0; left -= 1) {
      const turn = this.#waiting.shift();
      if (turn) turn.resolve();
      else this.#permits += 1;
    }
  }

  /** Lets everything through from now on. */
  open(): void {
    this.#open = true;
    for (const turn of this.#waiting.splice(0)) turn.resolve();
  }

  /** Resolves when somebody waits at the gate. */
  async reached(): Promise<void> {
    if (this.#waiting.length > 0) return;
    const arrival = deferred<void>();
    this.#arrivals.push(arrival);
    await arrival.promise;
  }

  #leave(turn: Deferred<void>): void {
    this.#waiting = this.#waiting.filter((other) => other !== turn);
    turn.resolve();
  }
}
