import { expect, test } from 'vitest';
import * as Y from 'yjs';
import { readDoc, readTables } from '../../../tests/support/edit-doc.ts';
import { GsvInMemory, type TestBrowser } from '../../../tests/support/gsv-in-memory.ts';
import { realRandom } from '../../../tests/support/platform.ts';
import { FS_DOC } from '../../state/system.ts';
import { concatBytes } from '../../std/bytes.ts';
import { decodeHead } from './entry.ts';
import { EntryCipher } from './entry-cipher.ts';
import { Heads } from './heads.ts';
import { Keyring } from './keyring.ts';
import { LogWriter } from './log-writer.ts';
import { OldKeys } from './old-keys.ts';
import { writerOf } from './writer.ts';

const FILES = `.${FS_DOC}`;
const ENTRY = 0;
const SHUT_OUT = /a browser made after it had been shut out/;

/** A GSV of two, after a third was shut out and everything was sealed anew. */
async function afterParting() {
  const { gsv, founder } = await GsvInMemory.start({ sealed: true });
  const stays = await gsv.invited(founder);
  const goes = await gsv.invited(founder);
  await gsv.write(goes, '/home/ada/before.txt', 'before the parting');
  await gsv.everythingStored(goes);
  const old = Keyring.parse(goes.kernel.disk.secrets.get('seal/keyring') ?? '');
  const { replicaId } = await goes.page.call('sys.status', {});
  await gsv.passing(founder.page.call('sys.replica.revoke', { replicaId }));
  for (const browser of [founder, stays]) await gsv.hasKey(browser, 2);
  const ended = async ({ page, kernel }: TestBrowser): Promise<boolean> => {
    // What came from the server is on this disk at the latest with the next change.
    await page.call('fs.write', { path: '/home/ada/x.txt', content: 'x' });
    const { reseals } = readTables(kernel.disk);
    return reseals.rows().some(({ endedAt }) => endedAt !== null);
  };
  for (const browser of [founder, stays]) {
    await gsv.until(() => ended(browser), 'everything is sealed anew');
    await gsv.everythingStored(browser);
  }
  const [snapshot] = await gsv.entries(FS_DOC);
  return {
    gsv,
    founder,
    stays,
    old,
    replicaId,
    heads: new Heads(snapshot && decodeHead(snapshot).witnesses),
  };
}

/** A hostile room adds what the one that was shut out wrote under the key that it still has. */
async function forge({
  gsv,
  old,
  replicaId,
  heads,
}: Awaited<ReturnType<typeof afterParting>>): Promise<void> {
  const writer = new LogWriter(new EntryCipher(() => old, FS_DOC, realRandom), writerOf(replicaId));
  writer.begin(heads, []);
  const doc = new Y.Doc();
  doc.getMap('planted').set('by', 'whoever was shut out');
  const { bytes } = await writer.entry(Y.encodeStateAsUpdate(doc), heads);
  gsv.room.cut(false);
  await gsv.room.storage.append(FILES, [concatBytes([new Uint8Array([ENTRY]), bytes])]);
  await gsv.room.restart();
}

const planted = ({ kernel }: TestBrowser): unknown => readDoc(kernel.disk, FS_DOC).getMap('planted').toJSON();

test('[S204] what a browser that was shut out writes with a hostile room under its old key is refused and named', async () => {
  const parted = await afterParting();
  const { gsv, founder, stays } = parted;
  await forge(parted);
  const faults = async (browser: TestBrowser) => (await browser.page.call('sys.seal.get', {})).faults;
  for (const browser of [founder, stays]) {
    await gsv.until(async () => (await faults(browser)).length > 0, 'it is named');
    expect(await faults(browser)).toMatchObject([{ name: FS_DOC, words: expect.stringMatching(SHUT_OUT) }]);
  }
  await gsv.passing(stays.page.call('sys.seal.repair', { name: FS_DOC }));
  for (const browser of [founder, stays]) {
    await gsv.until(async () => (await faults(browser)).length === 0, 'it is put right');
    expect(planted(browser)).toEqual({});
  }
  await gsv.write(founder, '/home/ada/after.txt', 'after it');
  await gsv.reads(stays, '/home/ada/after.txt', 'after it');
  await gsv.reads(stays, '/home/ada/before.txt', 'before the parting');
});

test('[S204] whoever stays, and whoever was away meanwhile, is not taken for one that was shut out', () => {
  const tables = {
    shutOut: { rows: () => [{ replicaId: 'gone', at: 1, since: 3 }] },
    reseals: { rows: () => [{ epoch: 3, done: 1, total: 1, upTo: '', endedAt: 2 as number | null }] },
  };
  const [gone, stays] = [writerOf('gone'), writerOf('stays')];
  const made = (mode: 'change' | 'snapshot', epoch: number, writer: string): boolean =>
    OldKeys.of(tables as unknown as Parameters<typeof OldKeys.of>[0]).made({ mode, epoch, writer });
  expect(made('change', 2, gone)).toBe(true);
  expect([made('change', 2, stays), made('change', 3, gone)]).toEqual([false, false]);
  expect([made('snapshot', 2, stays), made('snapshot', 3, stays)]).toEqual([true, false]);
  tables.reseals.rows = () => [{ epoch: 3, done: 0, total: 1, upTo: '', endedAt: null }];
  expect([made('change', 2, gone), made('snapshot', 2, stays)], 'until all is sealed anew').toEqual([
    false,
    false,
  ]);
  expect(OldKeys.none.made({ mode: 'change', epoch: 1, writer: gone })).toBe(false);
});
