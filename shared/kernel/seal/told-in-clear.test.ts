import { expect, test } from 'vitest';
import * as Y from 'yjs';
import { readTables } from '../../../tests/support/edit-doc.ts';
import { GsvInMemory, type TestBrowser } from '../../../tests/support/gsv-in-memory.ts';
import { emptySystem, putToken } from '../../../tests/support/system-doc.ts';
import { CONTROL_DOC, type ControlTables, controlTables } from '../../state/control.ts';
import { systemTables } from '../../state/system.ts';

const ADDRESS = 'users/1000/ai/base_url';
const OWN = 'https://models.example/v1';
const FORGED = 'https://room.example/v1';

/** A sealed GSV of two browsers, the address of whose provider stands in what the server reads. */
async function two() {
  const { gsv, founder } = await GsvInMemory.start({ sealed: true });
  const second = await gsv.invited(founder);
  const before = Y.encodeStateAsUpdate((await gsv.room.documents()).control);
  await gsv.passing(founder.page.call('sys.config.set', { key: ADDRESS, value: OWN }));
  const both = [founder, second];
  const stored = async (): Promise<void> => {
    for (const browser of both) await gsv.everythingStored(browser);
  };
  await gsv.until(async () => (await address(second)) === OWN, 'the setting arrives');
  await stored();
  return { gsv, founder, second, both, stored, before };
}

async function address({ page }: TestBrowser): Promise<string | undefined> {
  const { entries } = await page.call('sys.config.get', { key: ADDRESS });
  return entries.find(({ key }) => key === ADDRESS)?.value;
}

async function control(gsv: GsvInMemory): Promise<ControlTables> {
  return controlTables((await gsv.room.documents()).control);
}

/** The server writes what it likes. */
async function forge(gsv: GsvInMemory, edit: (tables: ControlTables) => void): Promise<void> {
  gsv.room.cut(false);
  const { control: doc } = await gsv.room.documents();
  const before = Y.encodeStateVector(doc);
  edit(controlTables(doc));
  await gsv.room.storage.append(CONTROL_DOC, [Y.encodeStateAsUpdate(doc, before)]);
  await gsv.room.restart();
}

test('[S190] what a server writes into, or takes from, what it reads is not taken by browsers', async () => {
  const { gsv, founder, second, both, stored } = await two();
  await forge(gsv, ({ config, groups, users }) => {
    config.put(ADDRESS, { value: FORGED });
    groups.patch('100', { capabilities: ['*'] });
    users.delete('1000');
  });
  await gsv.write(founder, '/home/ada/since.txt', 'written since');
  await gsv.reads(second, '/home/ada/since.txt', 'written since');
  await stored();
  for (const browser of both) {
    expect(await address(browser)).toBe(OWN);
    const { users, groups } = readTables(browser.kernel.disk);
    expect(users.get('1000')?.username).toBe('ada');
    expect(groups.get('100')?.capabilities).not.toContain('*');
  }
});

test('[S190] a server whose copy was set back alone is told again what stands in it', async () => {
  const { gsv, founder, both, stored, before } = await two();
  gsv.room.cut(false);
  await gsv.room.storage.removeDocuments([CONTROL_DOC]);
  await gsv.room.storage.append(CONTROL_DOC, [before]);
  await gsv.room.restart();
  await stored();
  expect((await control(gsv)).config.get(ADDRESS)?.value).toBe(OWN);
  for (const browser of both) expect(await address(browser)).toBe(OWN);
  expect((await founder.page.call('sys.seal.get', {})).faults).toEqual([]);
});

test('[S191] a newcomer takes nothing of what the server shows in the clear, and passes nothing of it on', async () => {
  const { gsv, founder, second } = await two();
  await forge(gsv, ({ config }) => {
    config.put(ADDRESS, { value: FORGED });
    config.put('config/server/forged', { value: FORGED });
  });
  await gsv.until(async () => (await founder.page.call('sys.status', {})).link === 'online', 'it is back');
  const newcomer = await gsv.invited(founder);
  await gsv.everythingStored(newcomer);
  for (const browser of [founder, second, newcomer]) {
    expect(await address(browser)).toBe(OWN);
    expect(readTables(browser.kernel.disk).config.get('config/server/forged')).toBeUndefined();
  }
});

test('[S193] what tokens and browsers are called reaches browsers, and nothing of it the server', async () => {
  const { gsv, founder, second, stored } = await two();
  const { token } = await founder.page.call('sys.token.create', { kind: 'user', label: 'planted-label' });
  const { replicas } = await founder.page.call('sys.replica.list', {});
  const [first] = replicas.map(({ replicaId }) => replicaId);
  if (!first) throw new Error('There is no browser');
  await founder.page.call('sys.replica.update', { replicaId: first, name: 'planted-name' });
  await founder.page.call('sys.token.revoke', { tokenId: token.tokenId, reason: 'planted-reason' });
  await stored();
  const told = async (): Promise<unknown[]> => {
    const { tokens } = await second.page.call('sys.token.list', {});
    const { replicas: browsers } = await second.page.call('sys.replica.list', {});
    const about = tokens.find(({ tokenId }) => tokenId === token.tokenId);
    const named = browsers.find(({ replicaId }) => replicaId === first);
    return [about?.label, about?.revokedReason, named?.name, named?.platform];
  };
  const platform = replicas[0]?.platform;
  const all = ['planted-label', 'planted-reason', 'planted-name', platform];
  await gsv.until(async () => JSON.stringify(await told()) === JSON.stringify(all), 'the words arrive');
  expect(platform).not.toBe('');
  expect(gsv.room.storage.dump()).not.toContain('planted');
  expect((await control(gsv)).tokens.get(token.tokenId)).toMatchObject({ label: null, revokedReason: null });
});

test('[S193] words that an older version told the server are read, and changed apart', () => {
  const docs = emptySystem();
  const told = controlTables(docs.control);
  const { tokens } = systemTables(docs);
  putToken(systemTables(docs), 'raw', { uid: 1000, kind: 'user' });
  const [key = ''] = told.tokens.keys();
  docs.system.getMap('token_words').clear();
  told.tokens.patch(key, { label: 'from before' });
  expect(tokens.get(key)).toMatchObject({ label: 'from before', revokedReason: null });
  tokens.patch(key, { revokedReason: 'lost', revokedAt: 5 });
  expect(tokens.rows()).toEqual([
    expect.objectContaining({ label: 'from before', revokedReason: 'lost', revokedAt: 5 }),
  ]);
  expect(told.tokens.get(key)).toMatchObject({ revokedReason: null, revokedAt: 5 });
  expect([tokens.delete(key), tokens.size, docs.system.getMap('token_words').size]).toEqual([true, 0, 0]);
});
