import { Keyring } from '../../../shared/kernel/seal/keyring.ts';
import type { SeededRandom } from '../../support/seeded-random.ts';

/** The keys that all replicas of a run have, and get at once when there are new ones. */
export class SharedKeys {
  readonly #listeners = new Set<() => void>();
  #keyring: Keyring;

  constructor(random: SeededRandom) {
    this.#keyring = Keyring.make(random);
  }

  get keyring(): Keyring {
    return this.#keyring;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  rotate(random: SeededRandom): void {
    this.#keyring = this.#keyring.rotated(random);
    for (const listener of this.#listeners) listener();
  }
}
