import type { Clock } from '../../std/clock.ts';
import type { Vault } from '../ports/vault.ts';

const LOCKED = 'replica/locked';

/**
 * Whether this browser was shut out of its GSV. What it stores stays, behind the password; it lasts until the browser
 * joins again.
 */
export class ReplicaLock {
  readonly #vault: Vault;
  readonly #clock: Clock;
  readonly #onLock: () => void;
  #since: number | null;

  private constructor(vault: Vault, clock: Clock, since: number | null, onLock: () => void) {
    this.#vault = vault;
    this.#clock = clock;
    this.#since = since;
    this.#onLock = onLock;
  }

  /** `onLock` is called when it locks, not when it is found locked. */
  static async load(vault: Vault, clock: Clock, onLock: () => void): Promise<ReplicaLock> {
    const since = await vault.get(LOCKED);
    return new ReplicaLock(vault, clock, since === undefined ? null : Number(since), onLock);
  }

  get locked(): boolean {
    return this.#since !== null;
  }

  /** When it learned that it was shut out; null while it was not. */
  get since(): number | null {
    return this.#since;
  }

  /** Takes effect at once; resolves when it is stored. */
  async lock(): Promise<void> {
    if (this.#since !== null) return;
    this.#since = this.#clock.now();
    this.#onLock();
    await this.#vault.put(LOCKED, String(this.#since));
  }
}
