import { SyscallError } from '../../protocol/errors.ts';
import type { Clock } from '../../std/clock.ts';
import { KeyedTurns } from '../../std/keyed-turns.ts';

const WINDOW_MS = 60_000;
const ATTEMPTS = 10;

/** Refuses a name after ten failures within a minute, until the minute is over (DESIGN 7). */
export class Lockout {
  readonly #clock: Clock;
  readonly #failures = new Map<string, number[]>();
  readonly #turns = new KeyedTurns();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Makes one attempt on a name; undefined is a failure. Attempts on one name are made one after another, so that
   * none hides behind another. Throws 429 while the name is refused.
   */
  attempt<T>(name: string, verify: () => Promise<T | undefined>): Promise<T | undefined> {
    return this.#turns.take([name], () => this.#try(name, verify));
  }

  async #try<T>(name: string, verify: () => Promise<T | undefined>): Promise<T | undefined> {
    const failures = this.#recent(name);
    if (failures.length >= ATTEMPTS) {
      throw new SyscallError(429, 'Too many failed attempts. Try again in a minute.', { retryable: true });
    }
    const verified = await verify();
    if (verified === undefined) this.#failures.set(name, [...failures, this.#clock.now()]);
    else this.#failures.delete(name);
    return verified;
  }

  #recent(name: string): number[] {
    const since = this.#clock.now() - WINDOW_MS;
    const recent = (this.#failures.get(name) ?? []).filter((at) => at > since);
    if (recent.length === 0) this.#failures.delete(name);
    return recent;
  }
}
