import type { Clock } from '../../std/clock.ts';
import { faultWords, type SealFault } from '../seal/fault.ts';

export type BlobFault = {
  hash: string;
  /** For a person. */
  words: string;
  /** When it was noticed first, in milliseconds since the epoch. */
  at: number;
};

/** Contents that a room handed out otherwise than they were sealed, since this kernel started. */
export class BlobFaults {
  readonly #clock: Clock;
  readonly #faults = new Map<string, BlobFault>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get list(): BlobFault[] {
    return [...this.#faults.values()];
  }

  /** Returns what a person is told. */
  found(hash: string, { kind }: SealFault): string {
    const words = faultWords(kind, 'a file’s contents');
    if (!this.#faults.has(hash)) this.#faults.set(hash, { hash, words, at: this.#clock.now() });
    return words;
  }

  forget(hashes: readonly string[]): void {
    for (const hash of hashes) this.#faults.delete(hash);
  }
}
