import { createHash } from 'node:crypto';
import type { Random } from '../../shared/std/random.ts';

/** Randomness that follows from a seed alone (SHA-256 of a counter). */
export class SeededRandom implements Random {
  readonly #seed: string;
  #drawn = 0;

  constructor(seed: string | number) {
    this.#seed = String(seed);
  }

  bytes(length: number): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(length);
    for (let at = 0; at < length; at += 32) bytes.set(this.#block().subarray(0, length - at), at);
    return bytes;
  }

  uuid(): string {
    const hex = this.#block().toString('hex');
    return [
      hex.slice(0, 8),
      hex.slice(8, 12),
      `4${hex.slice(13, 16)}`,
      `8${hex.slice(17, 20)}`,
      hex.slice(20, 32),
    ].join('-');
  }

  /** A whole number from 0 to `count - 1`. */
  below(count: number): number {
    return this.#block().readUInt32BE() % count;
  }

  chance(probability: number): boolean {
    return this.below(1_000_000) < probability * 1_000_000;
  }

  /** Throws on an empty list. */
  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error('There is nothing to choose from');
    return item;
  }

  #block(): Buffer {
    this.#drawn += 1;
    return createHash('sha256').update(`${this.#seed}/${this.#drawn}`).digest();
  }
}
