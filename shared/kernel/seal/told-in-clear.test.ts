import { expect, test } from 'vitest';
import * as Y from 'yjs';
import { readTables } from '../../../tests/support/edit-doc.ts';
import { GsvInMemory, type TestBrowser } from '../../../tests/support/gsv-in-memory.ts';
import { CONTROL_DOC, type ControlTables, controlTables } from '../../state/control.ts';

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
