import { expect, test } from 'vitest';
import { failingSeeds, OPERATIONS, SEEDS } from './many-seeds.ts';

test(`[S70] ${SEEDS / 2} even seeds of ${OPERATIONS} operations each keep every invariant`, async () => {
  expect(await failingSeeds(2)).toEqual([]);
});
