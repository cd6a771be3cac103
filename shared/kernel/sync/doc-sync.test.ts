import { expect, test } from 'vitest';
import { settle } from '../../../tests/support/passing.ts';
import { ReachableRoom, TestReplica } from '../../../tests/support/replicas.ts';

test('[S79] what one write brings to the disk goes to the room as one message, and all of it', async () => {
  const room = await ReachableRoom.open();
  const one = await TestReplica.boot(room, 'replica-2');
  await settle(room.clock, () => one.link.online && one.waiting === 0, 'being online');
  const doc = await one.documents.open('conv/p1/default/state');
  await one.put('conv/p1/default/state', 'first', 0);
  await settle(room.clock, () => one.waiting === 0, 'confirmation');
  const before = room.binary;
  for (let at = 0; at < 50; at += 1) doc.getMap('rows').set(`row-${at}`, at);
  expect(one.waiting).toBe(50);
  await settle(room.clock, () => one.waiting === 0, 'confirmation');
  expect(room.binary - before).toBe(1);
  expect(Object.keys(await room.rows('conv/p1/default/state'))).toHaveLength(51);
});
