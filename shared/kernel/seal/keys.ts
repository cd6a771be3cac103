import { Condition } from '../../std/condition.ts';
import type { Vault } from '../ports/vault.ts';
import { Keyring } from './keyring.ts';

/** Where a vault keeps them. */
export const KEYRING = 'seal/keyring';

/** The keys that this browser holds: a GSV is sealed where there are any. */
export class Keys {
  readonly #vault: Vault;
  readonly #listeners = new Set<() => void>();
  readonly #condition = new Condition();
  #keyring: Keyring | null;

  private constructor(vault: Vault, keyring: Keyring | null) {
    this.#vault = vault;
    this.#keyring = keyring;
  }

  /** Rejects when the vault cannot be read, or holds what is no keyring. */
  static async load(vault: Vault): Promise<Keys> {
    const stored = await vault.get(KEYRING);
    return new Keys(vault, stored === undefined ? null : Keyring.parse(stored));
  }

  /** Null in a GSV that is not sealed, and in a browser that holds none. */
  get keyring(): Keyring | null {
    return this.#keyring;
  }

  /** Nothing is sealed by keys that are not stored: a kill would make it unreadable for good. */
  async set(keyring: Keyring): Promise<void> {
    await this.#vault.put(KEYRING, keyring.text);
    this.#become(keyring);
  }

  /** As if this browser had never had any. */
  async forget(): Promise<void> {
    await this.#vault.delete(KEYRING);
    this.#become(null);
  }

  /** Resolves when the key of an epoch is known. Rejects with the signal's reason. */
  until(epoch: number, signal: AbortSignal): Promise<void> {
    return this.#condition.until(() => (this.#keyring?.epoch ?? 0) >= epoch, signal);
  }

  /** The returned function ends it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #become(keyring: Keyring | null): void {
    this.#keyring = keyring;
    this.#condition.changed();
    for (const listener of this.#listeners) listener();
  }
}
