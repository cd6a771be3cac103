import { expect, test } from 'vitest';
import { settle } from '../../../tests/support/passing.ts';
import { realRandom } from '../../../tests/support/platform.ts';
import { replicaPair } from '../../../tests/support/replica-pair.ts';
import { Keyring } from '../seal/keyring.ts';

const DOCUMENT = 'conv/p1/default/state';

/** Two replicas, of which the first writes under a key that the second does not have yet. */
async function apart() {
  const keyring = Keyring.make(realRandom);
  const { room, one, two } = await replicaPair({ keyring });
  const doc = await two.documents.open(DOCUMENT);
  const rotated = keyring.rotated(realRandom);
  await one.keys.set(rotated);
  await one.put(DOCUMENT, 'new', 1);
  await settle(room.clock, () => one.waiting === 0, 'confirmation');
  return { room, one, two, rotated, rows: doc.getMap('rows') };
}

test('[K184] what is under a key that is on its way here waits for it, and is no fault', async () => {
  const { room, two, rotated, rows } = await apart();
  await room.pass(5_000);
  expect([rows.size, two.replication.problem]).toEqual([0, null]);
  await two.keys.set(rotated);
  await settle(room.clock, () => rows.get('new') === 1, 'reading on');
  expect(two.replication.problem).toBeNull();
});

test('[K184] while it does not come it is told of, and once it has come everything is read', async () => {
  const { room, one, two, rotated, rows } = await apart();
  const told = (): boolean => two.replication.problem?.includes('new keys') === true;
  await settle(room.clock, told, 'being told');
  expect(two.replication.faults.list()).toMatchObject([{ document: 'a conversation' }]);
  await two.keys.set(rotated);
  await settle(room.clock, () => rows.get('new') === 1, 'reading on');
  await two.put(DOCUMENT, 'back', 2);
  const other = await one.documents.open(DOCUMENT);
  await settle(room.clock, () => other.getMap('rows').get('back') === 2, 'arrival');
  await settle(room.clock, () => two.replication.problem === null, 'all being well');
});
