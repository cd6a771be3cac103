import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditPage } from '../support/lighthouse.ts';
import { World } from '../support/world.ts';

const LEAST = 95;

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());

test('[U172] Lighthouse finds accessibility and best practices at 95 or more, as on a phone', async () => {
  const scores = await auditPage(world.server.url, ['accessibility', 'best-practices']);
  expect(Object.keys(scores).sort()).toEqual(['accessibility', 'best-practices']);
  for (const [name, { score, lost }] of Object.entries(scores))
    expect([name, score >= LEAST, lost]).toEqual([name, true, lost]);
}, 120_000);
