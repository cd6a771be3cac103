import { expect, test } from 'vitest';
import { Life } from '../../../tests/support/mortal.ts';
import { settle } from '../../../tests/support/passing.ts';
import { replicaPair } from '../../../tests/support/replica-pair.ts';
import type { TestReplica } from '../../../tests/support/replicas.ts';
import { turns } from '../../../tests/support/turns.ts';

const CONVERSATION = 'conv/p1/default/state';

test('[S10] a kill at any moment loses nothing that was on disk, and the replicas end up alike', async () => {
  let moments = Number.POSITIVE_INFINITY;
  for (let endAt = 0; endAt < moments; endAt += 2) {
    const { room, one, two, online, confirmed } = await replicaPair();
    one.kill();
    const life = new Life(moments === Number.POSITIVE_INFINITY ? moments : endAt);
    const kept: Record<string, number> = {};
    await Promise.race([life.over, writeAll(one, life, kept)]);
    if (moments === Number.POSITIVE_INFINITY) moments = life.moments;
    one.kill();
    await one.start();
    await online();
    await confirmed();
    expect(await room.rows(CONVERSATION), `killed at moment ${endAt}`).toMatchObject(kept);
    const docs = [await one.documents.open(CONVERSATION), await two.documents.open(CONVERSATION)];
    const all = async () => [
      ...docs.map((doc) => doc.getMap('rows').toJSON()),
      await room.rows(CONVERSATION),
    ];
    // What was under way when it was killed may still arrive.
    const alike = async () =>
      new Set((await all()).map((rows) => JSON.stringify(Object.entries(rows).sort()))).size === 1;
    await settle(room.clock, alike, 'being alike');
  }
  expect(moments).toBeGreaterThan(10);
});

async function writeAll(one: TestReplica, life: Life, kept: Record<string, number>): Promise<void> {
  await one.start(life);
  for (let n = 0; n < 5; n += 1) {
    await one.put(CONVERSATION, `k${n}`, n);
    await one.documents.flush();
    if (life.alive) kept[`k${n}`] = n;
    await turns(3);
  }
}
