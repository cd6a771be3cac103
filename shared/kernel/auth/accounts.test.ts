import { expect, test } from 'vitest';
import { emptySystem } from '../../../tests/support/system-doc.ts';
import { systemTables } from '../../state/system.ts';
import { capabilitiesOf, GROUPS, seedAccounts, upgradeGroups } from './accounts.ts';

test('[K89] built-in groups of an older GSV gain what this kernel gives them, and nothing else changes', () => {
  const docs = emptySystem();
  const { groups, ...tables } = systemTables(docs);
  upgradeGroups({ groups });
  expect(groups.size).toBe(0);
  const user = seedAccounts({ groups, ...tables }, 'ada', 1);
  groups.patch('100', { capabilities: ['fs.*', 'own.thing'], given: undefined });
  groups.put('200', { gid: 200, name: 'friends', members: [], capabilities: ['fs.read'] });
  groups.delete('102');
  upgradeGroups({ groups });
  expect(new Set(groups.get('100')?.capabilities)).toEqual(
    new Set([...GROUPS.users.capabilities, 'own.thing']),
  );
  expect(groups.get('100')?.members).toEqual([user.uid]);
  expect(groups.get('200')?.capabilities).toEqual(['fs.read']);
  expect(groups.get('102')).toBeUndefined();
  expect(capabilitiesOf({ groups, ...tables }, user)).toContain('notification.*');
  let writes = 0;
  docs.control.on('update', () => {
    writes += 1;
  });
  upgradeGroups({ groups });
  expect(writes).toBe(0);
});

test('[K137] built-in groups lose what a kernel once gave and gives no more, and a person’s changes stay', () => {
  const { groups, ...tables } = systemTables(emptySystem());
  seedAccounts({ groups, ...tables }, 'ada', 1);
  const { capabilities } = GROUPS.users;
  const taken = capabilities[0];
  groups.patch('100', {
    capabilities: [...capabilities.slice(1), 'old.*', 'own.thing'],
    given: [...capabilities, 'old.*'],
  });
  upgradeGroups({ groups });
  expect(groups.get('100')?.capabilities).toEqual([...capabilities.slice(1), 'own.thing']);
  expect(groups.get('100')?.capabilities).not.toContain(taken);
});
