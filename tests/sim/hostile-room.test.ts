import { expect, test } from 'vitest';
import { hostileRun } from './hostile/hostile-room.ts';
import { hostileSeeds, numbers } from './hostile/hostile-seeds.ts';

test('[S150] what a hostile room does to a log is noticed by whoever it would deceive, and loses nothing: seeds 1 to 150', async () => {
  const seen = await hostileSeeds(numbers(1, 150));
  for (const [attack, { runs, noticed }] of seen) {
    expect(runs, attack).toBeGreaterThan(3);
    expect(noticed, attack).toBeGreaterThan(0);
  }
}, 180_000);

test('[S151] the same runs deceive replicas that do not remember how far they had read', async () => {
  const outcomes = [];
  for (const seed of numbers(1, 60)) outcomes.push(await hostileRun(seed, false));
  expect(outcomes.filter(({ deceived }) => deceived.length > 0).length).toBeGreaterThan(0);
});
