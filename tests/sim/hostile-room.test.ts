import { expect, test } from 'vitest';
import { hostileRun } from './hostile/hostile-run.ts';
import { hostileSeeds, numbers } from './hostile/hostile-seeds.ts';

test('[S150] whatever a hostile room does to a log or to contents is noticed by whoever it would deceive, and loses nothing: seeds 1 to 500', async () => {
  const seen = await hostileSeeds(numbers(1, 500));
  for (const [attack, { runs, noticed }] of seen) {
    expect(runs, attack).toBeGreaterThan(10);
    expect(noticed, attack).toBeGreaterThan(0);
  }
}, 400_000);

test('[S151] the same runs deceive replicas that do not remember how far they had read', async () => {
  expect(await deceivedBySeeds(60, { remembers: false })).not.toEqual([]);
}, 400_000);

test('[S151] the same runs deceive replicas that do not ask again whether their contents are still there', async () => {
  expect(await deceivedBySeeds(60, { asksAgain: false })).toContain('drop contents');
}, 400_000);

/** By what replicas are deceived that take less care. */
async function deceivedBySeeds(count: number, care: { remembers?: boolean; asksAgain?: boolean }) {
  const by: string[] = [];
  for (const seed of numbers(1, count)) {
    const { attack, deceived } = await hostileRun(seed, care);
    if (deceived.length > 0) by.push(attack);
  }
  return by;
}
