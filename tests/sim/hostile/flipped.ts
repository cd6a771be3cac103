import type { SeededRandom } from '../../support/seeded-random.ts';

/** The same bytes but for one bit. */
export function flipped(bytes: Uint8Array = new Uint8Array(), random: SeededRandom): Uint8Array<ArrayBuffer> {
  const changed = Uint8Array.from(bytes);
  const at = random.below(Math.max(1, changed.length));
  changed[at] = (changed[at] ?? 0) ^ (1 << random.below(8));
  return changed;
}
