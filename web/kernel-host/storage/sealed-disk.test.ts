import { Dexie } from 'dexie';
import { IDBFactory, IDBKeyRange, IDBObjectStore } from 'fake-indexeddb';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sha256Hex } from '../../../shared/std/bytes.ts';
import { ManualClock } from '../../../tests/support/manual-clock.ts';
import { SeededRandom } from '../../../tests/support/seeded-random.ts';
import { type Database, openDatabase } from './database.ts';
import { DexieBlobs } from './dexie-blobs.ts';
import { DexieDocs } from './dexie-docs.ts';
import { DISK_KEY, DiskKeeper } from './disk-keeper.ts';
import { DiskKey } from './disk-key.ts';
import { sealRest } from './seal-rest.ts';
import { SealedVault } from './sealed-vault.ts';

const PLANTED = 'planted in what this browser stores';
const CHEAP = { N: 2, r: 8, p: 1 };
const before = { ...Dexie.dependencies };
const { add, put } = IDBObjectStore.prototype;
const utf8 = (text: string) => new TextEncoder().encode(text);
const said = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);
const key = await DiskKey.of(new Uint8Array(32).fill(7));
let database: Database;

beforeEach(() => {
  Dexie.dependencies = { indexedDB: new IDBFactory(), IDBKeyRange };
  database = openDatabase();
});
afterEach(() => {
  database.close();
  Object.assign(IDBObjectStore.prototype, { add, put });
  Dexie.dependencies = before;
});

const docsOf = (of = database) => new DexieDocs(of, new ManualClock(), key);

/** Everything that stands in the tables, as one text. */
async function stored(): Promise<string> {
  const parts: string[] = [];
  const note = (value: unknown): void => {
    if (value instanceof ArrayBuffer) note(new Uint8Array(value));
    else if (ArrayBuffer.isView(value)) parts.push(Buffer.from(value.buffer).toString('latin1'));
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(note);
    else parts.push(String(value));
  };
  for (const table of database.tables) note(await table.toArray());
  return parts.join('\n');
}

/** A database as version 2 of the program stored it. */
async function storedByVersion2(): Promise<string> {
  database.close();
  const old = new Dexie('gsv') as Database;
  old.version(1).stores({ updates: '++seq, doc', blobs: 'hash', secrets: 'name', keys: 'name' });
  old.version(2).stores({ blobFacts: 'hash' });
  for (let n = 0; n < 250; n += 1)
    await old.updates.add({ doc: `doc${n % 3}`, bytes: utf8(`${PLANTED} ${n}`) } as never);
  const bytes = utf8(`${PLANTED} in a blob`);
  const hash = await sha256Hex(bytes);
  await old.blobs.add({ hash, bytes });
  await old.blobFacts.add({ hash, size: bytes.length, usedAt: 3, atRoom: true });
  await new SealedVault(old).put('a secret', PLANTED);
  old.close();
  database = openDatabase();
  return hash;
}

describe('what a browser stores', () => {
  test('[S186] neither a document, a blob nor a secret can be read in it without the key', async () => {
    const [docs, blobs, vault] = [docsOf(), new DexieBlobs(database, key), new SealedVault(database, key)];
    docs.append('a', utf8(PLANTED));
    await docs.flush();
    docs.append('b', utf8(PLANTED));
    await docs.compact('b', () => utf8(`${PLANTED} folded`));
    const hash = await blobs.put(utf8(PLANTED));
    await vault.put('name', PLANTED);
    expect(await stored()).not.toContain(PLANTED);
    expect((await docsOf().load('a')).updates.map(said)).toEqual([PLANTED]);
    expect((await docsOf().load('b')).updates.map(said)).toEqual([`${PLANTED} folded`]);
    expect(said(await blobs.get(hash))).toBe(PLANTED);
    expect(await vault.get('name')).toBe(PLANTED);
    expect(await new DexieBlobs(database, key).list()).toMatchObject([{ hash, size: PLANTED.length }]);
  });

  test('[S186] what was moved to another place, or changed, is not read', async () => {
    const [docs, blobs] = [docsOf(), new DexieBlobs(database, key)];
    docs.append('a', utf8(PLANTED));
    await docs.flush();
    const [row] = await database.updates.toArray();
    await database.updates.update(row?.seq ?? 0, { doc: 'b' });
    await expect(docs.load('b')).rejects.toThrow('cannot be read');
    const hash = await blobs.put(utf8(PLANTED));
    const blob = await database.blobs.get(hash);
    blob?.bytes.set([1], 40);
    await database.blobs.update(hash, { bytes: blob?.bytes ?? new Uint8Array() });
    await expect(blobs.get(hash)).rejects.toThrow('cannot be read');
  });

  test('[S187] rows of an older version are read as they are, and are sealed by and by', async () => {
    const hash = await storedByVersion2();
    const [docs, blobs, vault] = [docsOf(), new DexieBlobs(database, key), new SealedVault(database, key)];
    const expected = Array.from({ length: 250 }, (_, n) => `${PLANTED} ${n}`).filter((_, n) => n % 3 === 1);
    for (const when of ['before', 'after']) {
      expect((await docs.load('doc1')).updates.map(said), when).toEqual(expected);
      expect(said(await blobs.get(hash)), when).toBe(`${PLANTED} in a blob`);
      expect(await vault.get('a secret'), when).toBe(PLANTED);
      expect(await blobs.list(), when).toEqual([
        { hash, size: PLANTED.length + 10, usedAt: 3, atRoom: true },
      ]);
      if (when === 'after') break;
      expect(await stored()).toContain(PLANTED);
      await sealRest(database, key, new Set());
      expect(await stored()).not.toContain(PLANTED);
    }
  });

  test('[S187] broken off by a full disk it goes on, and what was removed meanwhile stays so', async () => {
    const hash = await storedByVersion2();
    const full = (): never => {
      throw new DOMException('full', 'QuotaExceededError');
    };
    Object.assign(IDBObjectStore.prototype, { put: full });
    await expect(sealRest(database, key, new Set())).rejects.toThrow();
    Object.assign(IDBObjectStore.prototype, { put });
    const resting = sealRest(database, key, new Set());
    await docsOf().remove('doc1');
    await docsOf().compact('doc2', () => utf8('all of it'));
    await new DexieBlobs(database, key).delete(hash);
    await resting;
    expect(await stored()).not.toContain(PLANTED);
    expect((await docsOf().load('doc1')).updates).toEqual([]);
    expect((await docsOf().load('doc2')).updates.map(said)).toEqual(['all of it']);
    expect(await database.blobs.count()).toBe(0);
    expect((await docsOf().load('doc0')).updates).toHaveLength(84);
  });

  test('[S188] what is written while a document is folded is there afterwards', async () => {
    const docs = docsOf();
    let all = '';
    const write = (text: string): void => {
      all += text;
      docs.append('a', utf8(text));
    };
    write('1');
    const steps = [docs.compact('a', () => utf8(all))];
    for (const text of ['2', '3', '4']) {
      write(text);
      steps.push(docs.flush());
      await Promise.resolve();
    }
    docs.append('b', utf8('5'));
    expect(await docs.names('')).toEqual(['a', 'b']);
    await Promise.all(steps);
    const kept = (await docsOf().load('a')).updates.map(said).join('');
    for (const text of all) expect(kept).toContain(text);
    expect((await docs.load('b')).updates.map(said)).toEqual(['5']);
  });
});

describe('the key of the disk', () => {
  const keeper = () => DiskKeeper.load(new SealedVault(database), new SeededRandom(1), CHEAP);
  const opens = async (kept: DiskKeeper) => said(await (await kept.key()).open(sealed, 'update a'));
  let sealed: Uint8Array;

  beforeEach(async () => {
    sealed = await (await (await keeper()).key()).seal(utf8(PLANTED), 'update a');
  });

  test('[K190] it is made once, and is there at each start while no password is set', async () => {
    expect((await keeper()).locked).toBe(false);
    expect((await keeper()).state).toEqual({ password: false });
    expect(await opens(await keeper())).toBe(PLANTED);
  });

  test('[K190] with a password nobody has it before that is given, however it is typed', async () => {
    await (await keeper()).protect('pässword'.normalize('NFD'), 15);
    const kept = await keeper();
    expect([kept.locked, kept.state]).toEqual([true, { password: true, afterMinutes: 15 }]);
    await expect(kept.key()).rejects.toThrow('locked');
    await expect(kept.protect('mine', null)).rejects.toThrow('locked');
    await expect(kept.unprotect()).rejects.toThrow('locked');
    expect(await kept.unlock('password')).toBe(false);
    expect(kept.locked).toBe(true);
    expect(await kept.unlock('pässword')).toBe(true);
    expect(await opens(kept)).toBe(PLANTED);
    expect(await new SealedVault(database).get(DISK_KEY)).not.toContain('"by":"browser"');
  });

  test('[K191] another password takes its place, and without one it opens by itself again', async () => {
    const kept = await keeper();
    await kept.protect('first', null);
    await kept.lockAfter(5);
    await kept.protect('second', 5);
    const again = await keeper();
    expect(await again.unlock('first')).toBe(false);
    expect(await again.unlock('second')).toBe(true);
    expect(again.state).toEqual({ password: true, afterMinutes: 5 });
    await again.unprotect();
    expect(await opens(await keeper())).toBe(PLANTED);
  });
});
