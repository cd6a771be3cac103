import type { Clock } from '../../std/clock.ts';
import { faultWords, type SealFault } from '../seal/fault.ts';
import type { FaultRecord } from './faults.ts';

const CONTENTS = 'a file’s contents';

/** Contents that a room handed out otherwise than they were sealed, since this kernel started. */
export class BlobFaults {
  readonly #clock: Clock;
  readonly #faults = new Map<string, FaultRecord>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get list(): FaultRecord[] {
    return [...this.#faults.values()];
  }

  /** Returns what a person is told. */
  found(hash: string, { kind }: SealFault): string {
    const words = faultWords(kind, CONTENTS);
    if (!this.#faults.has(hash))
      this.#faults.set(hash, { name: '', document: CONTENTS, words, at: this.#clock.now() });
    return words;
  }

  forget(hashes: readonly string[]): void {
    for (const hash of hashes) this.#faults.delete(hash);
  }
}
