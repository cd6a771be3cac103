import { expect, test } from 'vitest';
import { failingSeeds, OPERATIONS, SEEDS } from './many-seeds.ts';

test(`[S70] ${SEEDS / 2} odd seeds of ${OPERATIONS} operations each keep every invariant`, async () => {
  expect(await failingSeeds(1)).toEqual([]);
});
