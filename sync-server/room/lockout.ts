import { SyscallError } from '../../shared/protocol/errors.ts';
import type { Clock } from '../../shared/std/clock.ts';

export const LOCKOUT_FAILURES = 10;
export const LOCKOUT_WINDOW_MS = 60_000;
/** Names remembered at once, so that guessing names costs the room no memory without end. */
const MAX_NAMES = 10_000;

/** Counts failed sign-ins by name and names those that have had ten within a minute. */
export class Lockout {
  readonly #clock: Clock;
  readonly #failures = new Map<string, number[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Throws 429 while the name is locked out. */
  check(name: string): void {
    const recent = this.#recent(name);
    if (recent.length < LOCKOUT_FAILURES) return;
    const oldest = recent[0] ?? 0;
    const seconds = Math.max(1, Math.ceil((oldest + LOCKOUT_WINDOW_MS - this.#clock.now()) / 1000));
    throw new SyscallError(429, `Too many failed sign-ins; try again in ${seconds} s`, { retryable: true });
  }

  failed(name: string): void {
    const recent = this.#recent(name);
    this.#failures.delete(name);
    this.#failures.set(name, [...recent, this.#clock.now()]);
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > MAX_NAMES && oldest !== undefined) this.#failures.delete(oldest);
  }

  #recent(name: string): number[] {
    const since = this.#clock.now() - LOCKOUT_WINDOW_MS;
    return (this.#failures.get(name) ?? []).filter((at) => at > since);
  }
}
