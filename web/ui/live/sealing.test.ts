import { expect, test } from 'vitest';
import { twoPlaces } from './sealing.ts';

test('[U315] two different words of a phrase are asked for, any two', () => {
  const seen = new Set<string>();
  const steps = Array.from({ length: 24 }, (_, at) => at / 24);
  for (const one of steps) {
    for (const two of steps) {
      const drawn = [one, two];
      const [first, second] = twoPlaces(24, () => drawn.shift() ?? 0);
      expect(first).toBeLessThan(second);
      expect(first).toBeGreaterThanOrEqual(1);
      expect(second).toBeLessThanOrEqual(24);
      seen.add(`${first} ${second}`);
    }
  }
  expect(seen.size).toBe((24 * 23) / 2);
});
