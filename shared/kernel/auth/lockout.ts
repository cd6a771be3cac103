import type { Clock } from '../../std/clock.ts';

const WINDOW_MS = 60_000;
const ATTEMPTS = 10;

/** Refuses a name after ten failures within a minute, until the minute is over (DESIGN 7). */
export class Lockout {
  readonly #clock: Clock;
  readonly #failures = new Map<string, number[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  locked(name: string): boolean {
    return this.#recent(name).length >= ATTEMPTS;
  }

  fail(name: string): void {
    this.#failures.set(name, [...this.#recent(name), this.#clock.now()]);
  }

  clear(name: string): void {
    this.#failures.delete(name);
  }

  #recent(name: string): number[] {
    const since = this.#clock.now() - WINDOW_MS;
    const recent = (this.#failures.get(name) ?? []).filter((at) => at > since);
    if (recent.length === 0) this.#failures.delete(name);
    return recent;
  }
}
