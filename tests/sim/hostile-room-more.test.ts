import { expect, test } from 'vitest';
import { hostileSeeds, numbers } from './hostile/hostile-seeds.ts';

test('[S150] what a hostile room does to a log is noticed by whoever it would deceive, and loses nothing: seeds 151 to 300', async () => {
  const seen = await hostileSeeds(numbers(151, 150));
  expect([...seen.values()].reduce((sum, { noticed }) => sum + noticed, 0)).toBeGreaterThan(75);
}, 180_000);
