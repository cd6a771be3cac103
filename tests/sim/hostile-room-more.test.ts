import { expect, test } from 'vitest';
import { hostileSeeds, numbers } from './hostile/hostile-seeds.ts';

test('[S150] whatever a hostile room does to a log or to contents is noticed by whoever it would deceive, and loses nothing: seeds 401 to 800', async () => {
  const seen = await hostileSeeds(numbers(401, 400));
  expect([...seen.values()].reduce((sum, { noticed }) => sum + noticed, 0)).toBeGreaterThan(250);
}, 400_000);
