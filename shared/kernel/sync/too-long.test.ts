import { expect, test } from 'vitest';
import { settle } from '../../../tests/support/passing.ts';
import { replicaPair } from '../../../tests/support/replica-pair.ts';

const CONVERSATION = 'conv/p1/default/state';
const OTHER = 'conv/p2/default/state';

/** Two replicas of which one has a row that is longer than any message, as older versions stored them. */
async function pair() {
  const { room, one, two } = await replicaPair();
  const { dials } = room;
  await one.put(CONVERSATION, 'a', 'x'.repeat(17 * 2 ** 20));
  await one.put(CONVERSATION, 'b', 1);
  await settle(room.clock, () => one.replication.problem !== null, 'a problem');
  return { room, one, two, dials };
}

test('[S7] one row that no room would take is refused here, and the link stands', async () => {
  const { room, one, dials } = await pair();
  expect(one.replication.problem).toContain('“a” in rows is too long');
  await one.put(OTHER, 'a', 1);
  await settle(room.clock, () => !one.replication.outbox.has(OTHER));
  expect(one.replication.outbox.has(CONVERSATION)).toBe(true);
  expect(room.dials).toBe(dials);
});

test('[S87] once a row that is too long was made shorter, it and all that waited behind it go on', async () => {
  const { room, one, two } = await pair();
  await one.put(CONVERSATION, 'a', 'short');
  await room.pass(120_000);
  await settle(room.clock, () => one.waiting === 0, 'confirmation');
  expect(one.replication.problem).toBe(null);
  expect(await two.read(CONVERSATION)).toEqual({ a: 'short', b: 1 });
});
