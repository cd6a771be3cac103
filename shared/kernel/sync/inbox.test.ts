import { expect, test } from 'vitest';
import { Agents, HOME } from '../../../tests/support/agents.ts';
import { editTables } from '../../../tests/support/edit-doc.ts';
import { lines } from '../../../tests/support/history.ts';
import type { TestPage } from '../../../tests/support/kernel.ts';
import { KernelPair } from '../../../tests/support/kernel-pair.ts';
import { Life } from '../../../tests/support/mortal.ts';
import { realRandom } from '../../../tests/support/platform.ts';
import { connectArgs } from '../../../tests/support/room-client.ts';
import { says } from '../../../tests/support/scripted-models.ts';
import { Peer } from '../../protocol/peer.ts';
import { Keyring } from '../seal/keyring.ts';
import { KEYRING } from '../seal/keys.ts';

/** Two browsers and a command line that leaves messages. */
async function withTeller() {
  const agents = new Agents();
  agents.scripts.set(HOME, (told) => says(`heard ${told}`));
  const pair = await KernelPair.start((request) => agents.answer(request));
  const made = await pair.passing(pair.pages.a.call('sys.token.create', { kind: 'user' }));
  await pair.passing(pair.pages.a.run('first'));
  const peer = new Peer(await pair.room.dial(), 'connecting', pair.room.clock, {
    call: () => Promise.reject(new Error('nothing here')),
    signal: () => {},
    closed: () => {},
  });
  const hello = { id: 'cli', role: 'user', username: 'ada', token: made.token.token } as const;
  await pair.until(
    () =>
      peer.call('sys.connect', connectArgs(hello)).then(
        () => true,
        () => false,
      ),
    'the command line is let in',
  );
  const tell = (text: string, pid?: string) =>
    pair.passing(peer.call('proc.tell', { text, ...(pid ? { pid } : {}) }));
  return { pair, tell };
}

/** What a page shows of messages that were told to the lasting process. */
async function told(page: TestPage): Promise<string[]> {
  const read = await page.call('proc.history', { pid: HOME, limit: 1000 });
  if (!read.ok) return [];
  return lines(read.messages).filter((line) => line.startsWith('user: ') && line.includes('TOLD'));
}

const waiting = async (pair: KernelPair): Promise<number> => (await pair.room.storage.list('inbox/')).length;

test('[S176] what is left while a browser is there comes at once, and once, though there are two', async () => {
  const { pair, tell } = await withTeller();
  expect((await tell('TOLD now')).data).toMatchObject({ online: true });
  await pair.until(async () => (await waiting(pair)) === 0, 'it is taken');
  await pair.until(async () => (await told(pair.pages.b)).length === 1, 'b shows it');
  await pair.pass(30_000);
  expect(await told(pair.pages.a)).toEqual(['user: TOLD now']);
});

test('[S176] what cannot be delivered is told to its person, and forgotten', async () => {
  const { pair, tell } = await withTeller();
  await tell('TOLD in vain', 'task:none');
  await pair.until(async () => (await waiting(pair)) === 0, 'it is taken');
  const { notifications } = await pair.passing(pair.pages.a.call('notification.list', {}));
  const shown = [
    ...notifications,
    ...(await pair.passing(pair.pages.b.call('notification.list', {}))).notifications,
  ];
  expect(shown[0]).toMatchObject({
    title: 'A message was not delivered',
    body: 'Process not found. It said: TOLD in vain',
  });
});

test('[S176] killed at any moment while it is taken, a message arrives, and arrives once', async () => {
  const { pair, tell } = await withTeller();
  pair.b.kill();
  const left: string[] = [];
  for (let endAt = 0, over = false; !over; endAt += 7) {
    pair.a.kill();
    await pair.pass(2_000);
    await tell(`TOLD ${endAt}`);
    left.push(`user: TOLD ${endAt}`);
    const life = new Life(endAt);
    void pair.a.boot(life).catch(() => {});
    await pair.pass(60_000);
    over = life.alive && (await waiting(pair)) === 0;
  }
  const page = await pair.passing(pair.a.restart());
  await pair.until(async () => (await waiting(pair)) === 0, 'all is taken');
  await pair.pass(60_000);
  expect(left.length).toBeGreaterThan(10);
  expect((await told(page)).sort()).toEqual(left.sort());
});

test('[S177] in a sealed GSV it is told as what the server could have written itself', async () => {
  const { pair, tell } = await withTeller();
  pair.a.kill();
  pair.b.kill();
  const keyring = Keyring.make(realRandom);
  pair.a.disk.secrets.set(KEYRING, keyring.text);
  editTables(pair.a.disk, ({ seal }) => seal.put('gsv', { gsvId: keyring.gsvId, since: 1 }));
  const page = await pair.passing(pair.a.restart());
  const sealed = async () => (await tell('TOLD PRIVATE').catch(() => null)) !== null;
  await pair.until(sealed, 'the room knows what to seal for');
  expect(JSON.stringify(await pair.room.storage.list('inbox/'))).not.toContain('PRIVATE');
  await pair.until(async () => (await told(page)).length === 1, 'it is told');
  expect((await told(page))[0]).toMatch(
    /^user: \[Process Event\]: This was left at the server at .*\n\nTOLD PRIVATE$/s,
  );
});
