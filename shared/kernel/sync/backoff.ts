import type { Clock } from '../../std/clock.ts';

const FIRST_MS = 1_000;
const LAST_MS = 60_000;

/** What failed, why, and when each of it may be tried again: less and less often while it goes on failing. */
export class Backoff {
  readonly #clock: Clock;
  readonly #retry: () => void;
  readonly #failures = new Map<string, { times: number; reason: string; cancel: (() => void) | null }>();

  /** `retry` is called when `has` has become false for something. */
  constructor(clock: Clock, retry: () => void) {
    this.#clock = clock;
    this.#retry = retry;
  }

  /** Why the last one failed; null when nothing is failing. */
  get reason(): string | null {
    return [...this.#failures.values()].at(-1)?.reason ?? null;
  }

  /** Whether it failed and is not to be tried yet. */
  has(name: string): boolean {
    return this.#failures.get(name)?.cancel != null;
  }

  failed(name: string, reason: string): void {
    const before = this.#failures.get(name);
    before?.cancel?.();
    const times = (before?.times ?? 0) + 1;
    const failure = { times, reason, cancel: null as (() => void) | null };
    this.#failures.delete(name);
    this.#failures.set(name, failure);
    failure.cancel = this.#clock.after(Math.min(FIRST_MS * 2 ** (times - 1), LAST_MS), () => {
      failure.cancel = null;
      this.#retry();
    });
  }

  succeeded(name: string): void {
    this.#failures.get(name)?.cancel?.();
    this.#failures.delete(name);
  }

  clear(): void {
    for (const { cancel } of this.#failures.values()) cancel?.();
    this.#failures.clear();
  }
}
