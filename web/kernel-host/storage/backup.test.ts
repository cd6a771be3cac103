import { Dexie } from 'dexie';
import { IDBFactory, IDBKeyRange, IDBObjectStore } from 'fake-indexeddb';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listBackups, openBackedUp, restoreBackup } from './backup.ts';
import { type Database, openDatabase } from './database.ts';
import { DexieBlobs } from './dexie-blobs.ts';
import { DiskKey } from './disk-key.ts';
import { SealedVault } from './sealed-vault.ts';

const key = await DiskKey.of(new Uint8Array(32));
const DAY = 24 * 60 * 60 * 1000;
const NOW = Date.UTC(2026, 10, 22, 9);
const COPY = 'gsv-backup-1-2026-11-22';
const V1 = { updates: '++seq, doc', blobs: 'hash', secrets: 'name', keys: 'name' };

const before = { ...Dexie.dependencies };
const { add, put } = IDBObjectStore.prototype;
let opened: Dexie[] = [];

beforeEach(() => {
  Dexie.dependencies = { indexedDB: new IDBFactory(), IDBKeyRange };
});
afterEach(() => {
  for (const database of opened) database.close();
  opened = [];
  Object.assign(IDBObjectStore.prototype, { add, put });
  Dexie.dependencies = before;
});

function keep<T extends Dexie>(database: T): T {
  opened.push(database);
  return database;
}

/** A database as version 1 of the program stored it. */
async function storedByVersion1(rows = 3): Promise<void> {
  const old = new Dexie('gsv') as Database;
  old.version(1).stores(V1);
  await old.updates.bulkAdd(
    Array.from({ length: rows }, (_, at) => ({
      doc: `doc${at % 2}`,
      bytes: new Uint8Array([at]),
    })) as never[],
  );
  await old.blobs.add({ hash: 'a'.repeat(64), bytes: new Uint8Array(100_000).fill(7) });
  await new SealedVault(old).put('password:1000', 'a secret');
  old.close();
}

async function emptyDatabase(name: string, version: number, stores: Record<string, string>): Promise<void> {
  const database = new Dexie(name);
  database.version(version).stores(stores);
  await database.open();
  database.close();
}

/** Every row by table, of a database as it is stored. */
async function rowsOf(name: string): Promise<Record<string, unknown[]>> {
  const stored = await keep(new Dexie(name)).open();
  const tables = stored.tables.map(async (table) => [table.name, await table.toArray()] as const);
  const rows = Object.fromEntries(await Promise.all(tables));
  stored.close();
  return rows;
}

/** From now on writes to databases that `fits` fail as on a full device, after so many. */
function failWrites(fits: (name: string) => boolean, after = 0): void {
  let left = after;
  const failing = (write: typeof add): typeof add =>
    function (this: IDBObjectStore, ...args) {
      if (fits(this.transaction.db.name)) left -= 1;
      if (left < 0 && fits(this.transaction.db.name))
        throw new DOMException('The quota has been exceeded.', 'QuotaExceededError');
      return write.apply(this, args);
    };
  Object.assign(IDBObjectStore.prototype, { add: failing(add), put: failing(put) });
}

test('[K120] data of an older version is migrated, and its rows are all in the copy', async () => {
  await storedByVersion1(1200);
  const { keys, ...old } = await rowsOf('gsv');
  const database = keep(await openBackedUp(openDatabase(), NOW));
  expect(database.verno).toBeGreaterThan(1);
  expect(await database.updates.count()).toBe(1200);
  expect(await new DexieBlobs(database, key).get('a'.repeat(64))).toHaveLength(100_000);
  expect(await new SealedVault(database).get('password:1000')).toBe('a secret');
  const { keys: copiedKeys, backup, ...copied } = await rowsOf(COPY);
  expect(copied).toEqual(old);
  expect([copiedKeys?.length, keys?.length]).toEqual([1, 1]);
  expect(backup).toEqual([
    { name: COPY, of: 'gsv', version: 1, createdAt: NOW, rows: 1203, bytes: expect.any(Number) },
  ]);
  expect(await listBackups('gsv')).toEqual(backup);
});

test('[K120] a new database, an empty one and one of this version are not copied', async () => {
  const fresh = await openBackedUp(openDatabase(), NOW);
  await fresh.updates.add({ doc: 'a', bytes: new Uint8Array(1) } as never);
  fresh.close();
  keep(await openBackedUp(openDatabase(), NOW));
  expect(await Dexie.getDatabaseNames()).toEqual(['gsv']);
  await emptyDatabase('other', 1, V1);
  keep(await openBackedUp(openDatabase('other'), NOW));
  expect(await Dexie.getDatabaseNames()).toEqual(['gsv', 'other']);
});

test.each([0, 4])(
  '[K121] with no space after %i rows nothing is migrated, and it says what to do',
  async (after) => {
    await storedByVersion1();
    const { keys: _keys, ...old } = await rowsOf('gsv');
    failWrites((name) => name.includes('backup'), after);
    const database = keep(openDatabase());
    await expect(openBackedUp(database, NOW)).rejects.toThrow(
      /no space .*Free as much space.*Nothing was changed/,
    );
    expect(database.isOpen()).toBe(false);
    expect(await Dexie.getDatabaseNames()).toEqual(['gsv']);
    const still = await new Dexie('gsv').open();
    expect(still.verno).toBe(1);
    still.close();
    const { keys: _stillKeys, ...rows } = await rowsOf('gsv');
    expect(rows).toEqual(old);
    Object.assign(IDBObjectStore.prototype, { add, put });
    await openBackedUp(keep(openDatabase()), NOW);
    expect(await listBackups('gsv')).toHaveLength(1);
  },
);

test('[K121] a copy of an earlier migration makes room when there is none', async () => {
  await storedByVersion1();
  const earlier = 'gsv-backup-0.5-2026-11-01';
  await emptyDatabase(earlier, 0.5, { updates: '++seq' });
  let freed = false;
  const { deleteDatabase } = IDBFactory.prototype;
  const { indexedDB } = Dexie.dependencies;
  indexedDB.deleteDatabase = (name: string) => {
    freed ||= name === earlier;
    return deleteDatabase.call(indexedDB as IDBFactory, name);
  };
  failWrites((name) => name.includes('backup') && !freed);
  await openBackedUp(keep(openDatabase()), NOW);
  expect((await listBackups('gsv')).map(({ name }) => name)).toEqual([COPY]);
});

test('[K121] a migration that fails leaves the data as it was, and the copy', async () => {
  await storedByVersion1();
  const { keys: _keys, ...old } = await rowsOf('gsv');
  const broken = keep(openDatabase());
  broken.version(99).upgrade(async (transaction) => {
    await transaction.table('updates').clear();
    throw new Error('a mistake');
  });
  await expect(openBackedUp(broken, NOW)).rejects.toThrow(
    /The data is as it was, and a copy is kept as gsv-backup-1/,
  );
  const { keys: _stillKeys, ...rows } = await rowsOf('gsv');
  expect(rows).toEqual(old);
  expect(await listBackups('gsv')).toHaveLength(1);
});

test('[K122] the copy is kept for 30 days, or until the next migration has succeeded', async () => {
  await storedByVersion1();
  (await openBackedUp(openDatabase(), NOW)).close();
  (await openBackedUp(openDatabase(), NOW + 29 * DAY)).close();
  expect((await listBackups('gsv')).map(({ name }) => name)).toEqual([COPY]);
  const next = keep(openDatabase());
  next.version(99).stores({ more: 'id' });
  (await openBackedUp(next, NOW + 29 * DAY)).close();
  const [latest, ...others] = await listBackups('gsv');
  expect([latest?.version, latest?.of, others]).toEqual([openDatabase().verno, 'gsv', []]);
  const same = keep(openDatabase());
  same.version(99).stores({ more: 'id' });
  (await openBackedUp(same, NOW + 61 * DAY)).close();
  expect(await Dexie.getDatabaseNames()).toEqual(['gsv']);
});

test('[K123] a copy is made the data again, and migrates again', async () => {
  await storedByVersion1();
  const { keys: _keys, ...old } = await rowsOf('gsv');
  const database = await openBackedUp(openDatabase(), NOW);
  await database.updates.clear();
  database.close();
  const [backup] = await listBackups('gsv');
  await restoreBackup(backup ?? { name: '', of: '' });
  const { keys: _restoredKeys, ...restored } = await rowsOf('gsv');
  expect(restored).toEqual(old);
  const again = keep(await openBackedUp(openDatabase(), NOW));
  expect(await new SealedVault(again).get('password:1000')).toBe('a secret');
  expect(await again.updates.add({ doc: 'new', bytes: new Uint8Array(1) } as never)).toBe(4);
});

test('[K123] what is no whole copy is not offered and restores nothing', async () => {
  await storedByVersion1();
  const half = 'gsv-backup-1-2026-11-20';
  await emptyDatabase(half, 1, { ...V1, backup: 'of' });
  expect(await listBackups('gsv')).toEqual([]);
  await expect(restoreBackup({ name: half, of: 'gsv' })).rejects.toThrow('not a whole copy');
  await expect(restoreBackup({ name: 'gsv-backup-nothing', of: 'gsv' })).rejects.toThrow();
  expect((await rowsOf('gsv')).updates).toHaveLength(3);
});
