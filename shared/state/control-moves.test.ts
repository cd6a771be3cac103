import { expect, test } from 'vitest';
import * as Y from 'yjs';
import { SeededRandom } from '../../tests/support/seeded-random.ts';
import { emptySystem } from '../../tests/support/system-doc.ts';
import { controlTables } from './control.ts';
import { keepControlApart } from './control-moves.ts';
import type { SystemDocs } from './system.ts';

/** A replica of an older version: everything stands in `system`. */
function older(from?: SystemDocs): SystemDocs {
  const docs = emptySystem();
  if (from) meet(from, docs);
  return docs;
}

function put({ system }: SystemDocs, table: string, key: string, row: object): void {
  system.getMap(table).set(key, JSON.stringify(row));
}

/** What one has, the other gets. */
function tell(from: SystemDocs, to: SystemDocs): void {
  for (const name of ['control', 'system'] as const)
    Y.applyUpdate(to[name], Y.encodeStateAsUpdate(from[name]));
}

function meet(...all: SystemDocs[]): void {
  for (const one of all) for (const other of all) if (one !== other) tell(one, other);
  for (const one of all) for (const other of all) if (one !== other) tell(one, other);
}

/** As rows that come in are moved, after the transaction that brought them. */
const turn = (): Promise<void> => new Promise((resolve) => queueMicrotask(resolve));

function token(revokedAt: number | null = null, lastUsedAt: number | null = null) {
  return {
    ...{ tokenId: 't', hash: 'h', tokenPrefix: 'p', uid: 1000, kind: 'user', label: null, allowedRole: null },
    ...{ allowedDeviceId: null, createdAt: 1, lastUsedAt, expiresAt: null, revokedAt, revokedReason: null },
  };
}

const access = (...gids: number[]) => ({ deviceId: 'laptop', gids });
const gidsOf = ({ control }: SystemDocs) => controlTables(control).access.get('laptop')?.gids;
const nameOf = ({ control }: SystemDocs, key: string) => controlTables(control).config.get(key)?.value;

test('[K172] rows of an older version that the room reads move to `control`, settings by their key', () => {
  const docs = older();
  put(docs, 'access', 'laptop', access(100));
  put(docs, 'tokens', 't', token());
  put(docs, 'config', 'config/server/name', { value: 'ship' });
  put(docs, 'config', 'users/1000/ai/provider', { value: 'openai' });
  put(docs, 'config', 'users/1000/ai/model', { value: 'm' });
  put(docs, 'notifications', 'n', { notificationId: 'n' });
  // As a version wrote it that kept rows as values.
  docs.system
    .getMap('users')
    .set('0', { ...{ uid: 0, username: 'root', gid: 0 }, gids: [0], home: '/', createdAt: 1 });
  keepControlApart(docs);
  const tables = controlTables(docs.control);
  expect([gidsOf(docs), tables.tokens.get('t')?.hash, tables.users.get('0')?.username]).toEqual([
    [100],
    'h',
    'root',
  ]);
  expect(tables.config.keys().sort()).toEqual(['config/server/name', 'users/1000/ai/provider']);
  const left = (table: string) => [...docs.system.getMap(table).keys()];
  expect(['access', 'tokens', 'users'].flatMap(left)).toEqual([]);
  expect([left('config'), left('notifications')]).toEqual([['users/1000/ai/model'], ['n']]);
});

test('[K172] what is moved again, here or by another replica, changes nothing that was done since', async () => {
  const a = older();
  put(a, 'access', 'laptop', access(100));
  put(a, 'tokens', 't', token());
  put(a, 'invites', 'i', { inviteId: 'i' });
  const [b, room] = [older(a), older(a)];
  keepControlApart(a);
  const tables = controlTables(a.control);
  tables.access.put('laptop', access());
  tables.tokens.patch('t', { revokedAt: 5 });
  tables.invites.delete('i');
  keepControlApart(b);
  keepControlApart(room);
  meet(a, b, room);
  await turn();
  keepControlApart(b);
  meet(a, b, room);
  for (const docs of [a, b, room]) {
    expect(gidsOf(docs)).toEqual([]);
    expect(controlTables(docs.control).tokens.get('t')?.revokedAt).toBe(5);
    expect(docs.control.getMap('invites').has('i')).toBe(false);
  }
});

test('[K173] who had not heard of a change before moving does not undo it', async () => {
  const a = older();
  put(a, 'access', 'laptop', access(100));
  put(a, 'config', 'config/server/name', { value: 'old' });
  put(a, 'tokens', 't', token());
  put(a, 'groups', '200', { gid: 200, name: 'friends', members: [], capabilities: ['*'] });
  const stale = older(a);
  put(a, 'access', 'laptop', access());
  put(a, 'config', 'config/server/name', { value: 'new' });
  put(a, 'tokens', 't', token(7));
  a.system.getMap('groups').delete('200');
  // Who was away has used its token often.
  for (let at = 1; at < 9; at += 1) put(stale, 'tokens', 't', token(null, at));
  for (const order of [
    [a, stale],
    [stale, a],
  ]) {
    const copies = order.map((docs) => older(docs));
    for (const docs of copies) keepControlApart(docs);
    meet(...copies);
    await turn();
    for (const docs of copies) {
      expect([gidsOf(docs), nameOf(docs, 'config/server/name')]).toEqual([[], 'new']);
      expect(controlTables(docs.control).tokens.get('t')?.revokedAt).toBe(7);
      expect(controlTables(docs.control).groups.keys()).toEqual([]);
    }
  }
});

test('[K173] what an older version had written without having been heard is moved when it comes', async () => {
  const a = older();
  put(a, 'access', 'laptop', access(100));
  const away = older(a);
  keepControlApart(a);
  put(away, 'access', 'laptop', access(100, 200));
  put(away, 'tokens', 't', token());
  tell(away, a);
  await turn();
  expect([gidsOf(a), controlTables(a.control).tokens.size]).toEqual([[100, 200], 1]);
  expect([...a.system.getMap('access').keys()]).toEqual([]);
});

test('[K173] a room that hears first of the removals in `system` removes nothing in `control`', async () => {
  const a = older();
  put(a, 'access', 'laptop', access(100));
  put(a, 'tokens', 't', token());
  keepControlApart(a);
  const room = emptySystem();
  Y.applyUpdate(room.system, Y.encodeStateAsUpdate(a.system));
  keepControlApart(room);
  meet(a, room);
  expect([gidsOf(room), controlTables(room.control).tokens.size]).toEqual([[100], 1]);
});

/** One thing that happens: two replicas meet, one begins with the newer version, or rows are written. */
async function happens(
  random: SeededRandom,
  replicas: readonly SystemDocs[],
  moved: Set<SystemDocs>,
  step: number,
) {
  const docs = random.pick(replicas);
  const isMoved = moved.has(docs);
  const chance = random.below(10);
  if (chance < 2) tell(docs, random.pick(replicas));
  else if (chance < 4 && step > 20 && !isMoved) {
    keepControlApart(docs);
    moved.add(docs);
  } else {
    const { tokens, access: granted } = controlTables(isMoved ? docs.control : docs.system);
    const row = tokens.get(random.pick(['a', 'b', 'c']));
    const revokes = isMoved && random.chance(0.2);
    if (row && row.revokedAt === null && (revokes || !isMoved))
      tokens.put(row.tokenId, { ...row, revokedAt: revokes ? step : null, lastUsedAt: step });
    if (random.chance(0.2)) granted.put('laptop', access(step));
  }
  await turn();
}

test('[K173] whatever replicas wrote apart before and after, all come to the same, and nothing revoked comes back', async () => {
  for (let seed = 1; seed <= 60; seed += 1) {
    const random = new SeededRandom(seed);
    const first = older();
    for (const tokenId of ['a', 'b', 'c']) put(first, 'tokens', tokenId, { ...token(), tokenId });
    put(first, 'access', 'laptop', access(1));
    const replicas = [first, older(first), older(first), older(first)];
    const moved = new Set<SystemDocs>();
    const revoked = new Set<string>();
    for (let step = 0; step < 60; step += 1) {
      await happens(random, replicas, moved, step);
      for (const { control } of replicas)
        for (const row of controlTables(control).tokens.rows())
          if (row.revokedAt !== null) revoked.add(row.tokenId);
    }
    for (const docs of replicas) keepControlApart(docs);
    for (let round = 0; round < 3; round += 1) {
      meet(...replicas);
      await turn();
    }
    const shown = new Set(replicas.map(({ control }) => JSON.stringify(sorted(control))));
    expect(shown.size, `seed ${seed}`).toBe(1);
    const { tokens, access: granted } = controlTables(first.control);
    expect([tokens.size, granted.size], `seed ${seed}`).toEqual([3, 1]);
    const live = tokens.rows().filter(({ revokedAt }) => revokedAt === null);
    expect(
      live.filter(({ tokenId }) => revoked.has(tokenId)),
      `seed ${seed}`,
    ).toEqual([]);
  }
});

function sorted(doc: Y.Doc): unknown {
  return ['tokens', 'access'].map((table) => [...doc.getMap(table)].sort(([a], [b]) => (a < b ? -1 : 1)));
}
