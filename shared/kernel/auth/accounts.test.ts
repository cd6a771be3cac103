import { expect, test } from 'vitest';
import * as Y from 'yjs';
import { systemTables } from '../../state/system.ts';
import { capabilitiesOf, GROUPS, seedAccounts, upgradeGroups } from './accounts.ts';

test('[K89] built-in groups of an older GSV gain what this kernel gives them, and nothing else changes', () => {
  const doc = new Y.Doc();
  const { groups, ...tables } = systemTables(doc);
  upgradeGroups({ groups });
  expect(groups.size).toBe(0);
  const user = seedAccounts({ groups, ...tables }, 'ada', 1);
  groups.patch('100', { capabilities: ['fs.*', 'own.thing'] });
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
  doc.on('update', () => {
    writes += 1;
  });
  upgradeGroups({ groups });
  expect(writes).toBe(0);
});
