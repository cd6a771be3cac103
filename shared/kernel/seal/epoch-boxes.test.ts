import { expect, test } from 'vitest';
import { SeededRandom } from '../../../tests/support/seeded-random.ts';
import { emptySystem } from '../../../tests/support/system-doc.ts';
import { systemTables } from '../../state/system.ts';
import { toBase64Url } from '../../std/bytes.ts';
import { EpochBoxes } from './epoch-boxes.ts';
import { Keyring } from './keyring.ts';
import { BoxKey } from './sealed-box.ts';

const random = new SeededRandom(3);

/** Two members with the same keys, which see the same boxes. */
function members() {
  const tables = systemTables(emptySystem());
  const member = (replicaId: string) => {
    const key = BoxKey.make(random);
    tables.members.put(replicaId, { replicaId, publicKey: toBase64Url(key.public), epoch: 1 });
    const boxes = new EpochBoxes({ tables, random, self: replicaId });
    return { boxes, next: (keyring: Keyring) => boxes.next(keyring, key, replicaId) };
  };
  return { tables, one: member('one'), two: member('two'), keyring: Keyring.make(random) };
}

test('[S163] keys that two announce at once are both seen, and neither takes away the other’s', async () => {
  const { one, two, keyring } = members();
  const [first, second] = [keyring.rotated(random), keyring.rotated(random)];
  await one.boxes.announce(first);
  await two.boxes.announce(second);
  const seen = await one.next(keyring);
  expect(seen.map(({ own }) => own)).toEqual([true, false]);
  expect(seen.map(({ keyring: { text } }) => text)).toEqual([first.text, second.text]);
  two.boxes.withdraw(2);
  expect((await two.next(keyring)).map(({ own }) => own)).toEqual([false]);
});

test('[S163] whoever uses a key removes boxes with another one, and makes those that are missing', async () => {
  const { tables, one, two, keyring } = members();
  const [first, second] = [keyring.rotated(random), keyring.rotated(random)];
  await one.boxes.announce(first);
  await two.boxes.announce(second);
  tables.epochs.delete('2/one/two');
  await one.boxes.give(first, 2);
  expect((await two.next(keyring)).map(({ keyring: { text } }) => text)).toEqual([first.text]);
  tables.members.patch('two', { epoch: 2 });
  tables.members.patch('one', { epoch: 2 });
  await one.boxes.give(first, 2);
  expect(tables.epochs.keys()).toEqual([]);
});
