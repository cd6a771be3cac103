import { expect, test } from 'vitest';
import { inboxKey, inboxPurpose } from '../../shared/kernel/seal/inbox-key.ts';
import { Keyring } from '../../shared/kernel/seal/keyring.ts';
import { SEAL } from '../../shared/state/control.ts';
import { fromBase64, toBase64Url } from '../../shared/std/bytes.ts';
import { realRandom } from '../../tests/support/platform.ts';
import { ask, claimedRoom, type Joined } from '../../tests/support/room-in-memory.ts';
import { MOST_ITEMS } from './inbox.ts';

const user = { id: 'cli', role: 'user', username: 'alice', token: 'gsv_user_alice' } as const;

async function withUser() {
  const room = await claimedRoom();
  await room.change((tables) => {
    const alice = tables.users.get('1000');
    if (alice)
      tables.groups.put('tell', { gid: alice.gid, name: 'tell', members: [], capabilities: ['proc.*'] });
  });
  return { ...room, alice: await room.connect(user) };
}

const tell = (alice: Joined, text: string, key?: string) =>
  alice.peer.call('proc.tell', { text }, key === undefined ? {} : { key });

function read(content: string): unknown {
  return JSON.parse(new TextDecoder().decode(fromBase64(content)));
}

test('[R171] what is left while no browser is there is kept, oldest first, until a browser has it', async () => {
  const { founder, alice, clock, restart, kernel } = await withUser();
  expect((await tell(alice, 'one')).data).toMatchObject({ online: true });
  founder.peer.close(1000, 'gone');
  await clock.advance(1000);
  expect((await tell(alice, 'two', 'once')).data).toMatchObject({ online: false });
  await tell(alice, 'two', 'once');
  const second = await kernel('replica-2');
  const { items, total } = await ask(second, 'inbox.list', {});
  expect([items.map(({ content }) => read(content)), total]).toEqual([[{ text: 'one' }, { text: 'two' }], 2]);
  expect(items.map(({ uid, epoch }) => [uid, epoch])).toEqual([
    [1000, 0],
    [1000, 0],
  ]);
  const ids = items.slice(0, 1).map(({ id }) => id);
  expect(await ask(second, 'inbox.forget', { ids: [...ids, 'unknown'] })).toEqual({ forgotten: 1 });
  const later = await restart();
  const again = await later.connect({
    id: 'replica-3',
    role: 'service',
    username: 'root',
    token: 'gsv_service_of_replica-3',
  });
  expect((await ask(again, 'inbox.list', {})).items.map(({ content }) => read(content))).toEqual([
    { text: 'two' },
  ]);
});

test('[R171] browsers hear that something has come; nobody but them reads it', async () => {
  const { founder, alice, clock } = await withUser();
  await tell(alice, 'one');
  await clock.advance(1);
  expect(founder.signals.filter(({ signal }) => signal === 'inbox.changed')).toHaveLength(1);
  await expect(alice.peer.call('inbox.list', {})).rejects.toMatchObject({ code: 403 });
  await expect(alice.peer.call('inbox.forget', { ids: [] })).rejects.toMatchObject({ code: 403 });
});

test('[R172] in a sealed GSV it is sealed before it is stored, for the browsers with its keys alone', async () => {
  const { alice, change, founder, storage } = await withUser();
  const keyring = Keyring.make(realRandom);
  await change((tables) => tables.seal.put(SEAL, { gsvId: keyring.gsvId, since: 1 }));
  await expect(tell(alice, 'too early')).rejects.toMatchObject({ code: 503 });
  const key = await inboxKey(keyring, 1);
  await change((tables) => tables.inbox.put('gsv', { publicKey: toBase64Url(key.public), epoch: 1 }));
  await tell(alice, 'PRIVATE words');
  const [item] = (await ask(founder, 'inbox.list', {})).items;
  if (!item) throw new Error('nothing is there');
  expect(JSON.stringify(await storage.list(''))).not.toContain('PRIVATE');
  expect(Buffer.from(item.content, 'base64').toString('latin1')).not.toContain('PRIVATE');
  const bytes = await key.open(fromBase64(item.content), inboxPurpose(item));
  expect(JSON.parse(new TextDecoder().decode(bytes))).toEqual({ text: 'PRIVATE words' });
  const other = await inboxKey(Keyring.make(realRandom), 1);
  await expect(other.open(fromBase64(item.content), inboxPurpose(item))).rejects.toThrow();
});

test('[R173] too much that waits is refused in words, and there is room again once it was taken', async () => {
  const { alice, founder, storage } = await withUser();
  for (let left = MOST_ITEMS; left > 0; left -= 1) await tell(alice, `message ${left}`);
  await expect(tell(alice, 'one more')).rejects.toMatchObject({
    code: 507,
    message: expect.stringContaining('Open GSV in a browser'),
  });
  const [first] = (await ask(founder, 'inbox.list', {})).items;
  await ask(founder, 'inbox.forget', { ids: [first?.id ?? ''] });
  await tell(alice, 'one more');
  await expect(tell(alice, '')).rejects.toMatchObject({ code: 400 });
  await expect(tell(alice, 'x'.repeat(65_537))).rejects.toMatchObject({ code: 400 });
  storage.failure = new Error('database or disk is full');
  await ask(founder, 'inbox.list', {});
  await expect(tell(alice, 'a full disk')).rejects.toMatchObject({ code: 507 });
});
