import { expect, test } from 'vitest';
import { hostileSeeds, numbers } from './hostile/hostile-seeds.ts';

test('[S150] whatever a hostile room does to a log or to contents is noticed by whoever it would deceive, and loses nothing: seeds 501 to 1,000', async () => {
  const seen = await hostileSeeds(numbers(501, 500));
  expect([...seen.values()].reduce((sum, { noticed }) => sum + noticed, 0)).toBeGreaterThan(250);
}, 400_000);
