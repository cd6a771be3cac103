import type { Vault } from '../ports/vault.ts';

const LOCKED = 'replica/locked';

/**
 * Whether this browser was shut out of its GSV. What it stores stays, behind the password; it lasts until the browser
 * joins again.
 */
export class ReplicaLock {
  readonly #vault: Vault;
  readonly #onLock: () => void;
  #locked: boolean;

  private constructor(vault: Vault, locked: boolean, onLock: () => void) {
    this.#vault = vault;
    this.#locked = locked;
    this.#onLock = onLock;
  }

  /** `onLock` is called when it locks, not when it is found locked. */
  static async load(vault: Vault, onLock: () => void): Promise<ReplicaLock> {
    return new ReplicaLock(vault, (await vault.get(LOCKED)) !== undefined, onLock);
  }

  get locked(): boolean {
    return this.#locked;
  }

  /** Takes effect at once; resolves when it is stored. */
  async lock(): Promise<void> {
    if (this.#locked) return;
    this.#locked = true;
    this.#onLock();
    await this.#vault.put(LOCKED, 'revoked');
  }
}
