import type { Random } from '../../../shared/std/random.ts';

const TWO_32 = 0x1_0000_0000;

/** The only source of chance in a run (mulberry32): the same seed gives the same numbers. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** At least 0, less than 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / TWO_32;
  }

  /** A whole number from 0 to `count - 1`. */
  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  /** A whole number; both ends are possible. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** Undefined of an empty list only. */
  pick<Item>(items: readonly Item[]): Item | undefined {
    return items[this.below(items.length)];
  }

  /** By weight: the sum need not be 1. */
  weighted<Key extends string>(weights: Readonly<Record<Key, number>>): Key {
    const entries = Object.entries(weights) as [Key, number][];
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [key, weight] of entries) {
      left -= weight;
      if (left < 0) return key;
    }
    return entries[0]?.[0] as Key;
  }
}

/** 32 bits of FNV-1a over the parts, for seeds that follow from a cause and not from what was drawn before. */
export function hashOf(...parts: readonly (string | number)[]): number {
  let hash = 0x811c9dc5;
  for (const part of parts) hash = hashInto(hash, `${part}\u0000`);
  return hash >>> 0;
}

export function hashInto(hash: number, text: string): number {
  let mixed = hash;
  for (let at = 0; at < text.length; at += 1) mixed = Math.imul(mixed ^ text.charCodeAt(at), 0x01000193);
  return mixed;
}

/** The randomness of one program in the simulation. */
export function randomOf(dice: Dice): Random {
  const bytes = (length: number): Uint8Array<ArrayBuffer> => {
    const drawn = new Uint8Array(length);
    for (let at = 0; at < length; at += 1) drawn[at] = dice.below(256);
    return drawn;
  };
  return { bytes, uuid: () => uuidOf(bytes(16)) };
}

function uuidOf(bytes: Uint8Array): string {
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  const variant = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`];
  return [...parts, variant.toString(16).padStart(2, '0') + hex.slice(18, 20), hex.slice(20, 32)].join('-');
}
