import { expect, test } from 'vitest';
import { MemoryDisk } from '../../../tests/support/memory-storage.ts';
import { realRandom } from '../../../tests/support/platform.ts';
import { systemDocuments } from '../../../tests/support/system-doc.ts';
import { Keyring } from '../seal/keyring.ts';
import { Keys } from '../seal/keys.ts';
import { RELAY_KEY, RelayPermit } from './relay-permit.ts';

test('[K178] in a sealed GSV the relay for model providers is withheld until its owner allows it, and again when not', async () => {
  const keys = await Keys.load(new MemoryDisk().vault());
  const { tables } = systemDocuments();
  const told: [string | null, boolean | undefined][] = [];
  const setToken = (token: string | null, withheld?: boolean) => void told.push([token, withheld]);
  const dialer = { dial: () => Promise.reject(new Error('no room')), setToken };
  const permit = new RelayPermit({ dialer, keys, tables });
  permit.setToken('t');
  await keys.set(Keyring.make(realRandom));
  tables.config.put('users/1000/ai/model', { value: 'm' });
  tables.config.put(RELAY_KEY, { value: 'allowed' });
  tables.config.put(RELAY_KEY, { value: '' });
  await keys.forget();
  expect(told).toEqual([
    ['t', false],
    [null, true],
    ['t', false],
    [null, true],
    ['t', false],
  ]);
});
