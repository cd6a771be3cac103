import { Dexie } from 'dexie';
import { IDBFactory, IDBKeyRange, IDBObjectStore } from 'fake-indexeddb';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openBackedUp, removeBackups } from './backup.ts';
import { type Database, openDatabase } from './database.ts';
import { DexieCopies } from './dexie-copies.ts';
import { DiskKey } from './disk-key.ts';
import { SealedVault } from './sealed-vault.ts';

const NOW = Date.UTC(2026, 10, 22, 9);
const COPY = 'gsv-backup-1-2026-11-22';
const HASH = 'a'.repeat(64);
const clock = { now: () => NOW, after: () => () => {} };
const before = { ...Dexie.dependencies };
let database: Database;

beforeEach(async () => {
  Dexie.dependencies = { indexedDB: new IDBFactory(), IDBKeyRange };
  const old = new Dexie('gsv') as Database;
  old.version(1).stores({ updates: '++seq, doc', blobs: 'hash', secrets: 'name', keys: 'name' });
  await old.updates.add({ doc: 'system', bytes: new Uint8Array([1, 2, 3]) } as never);
  await old.blobs.add({ hash: HASH, bytes: new Uint8Array(100_000) });
  old.close();
  database = await openBackedUp(openDatabase(), NOW);
});
afterEach(() => {
  database.close();
  Dexie.dependencies = before;
});

test('[S88] a copy from before a migration is listed with its size, read as it was, and removed', async () => {
  const copies = new DexieCopies('gsv', clock, await DiskKey.of(new Uint8Array(32)), () => {});
  const [copy, ...others] = await copies.list();
  expect(copy).toMatchObject({ name: COPY, version: 1, createdAt: NOW });
  expect(copy?.bytes).toBeGreaterThan(100_000);
  expect(copy?.bytes).toBeLessThan(101_000);
  expect(others).toEqual([]);
  await database.updates.clear();
  const { docs, blobs } = await copies.open(COPY);
  expect((await docs.load('system')).updates).toEqual([new Uint8Array([1, 2, 3])]);
  expect(await blobs.get(HASH)).toHaveLength(100_000);
  expect(await blobs.get('b'.repeat(64))).toBeUndefined();
  await docs.close();
  await expect(copies.open('gsv')).rejects.toThrow('is no copy');
  await copies.remove('gsv');
  await copies.remove(COPY);
  expect(await copies.list()).toEqual([]);
  expect(await Dexie.getDatabaseNames()).toEqual(['gsv']);
});

/** What the database holds after the next start. */
async function startAgain(): Promise<{ updates: number; secrets: string[] }> {
  database.close();
  database = await openBackedUp(openDatabase(), NOW + 1);
  const secrets = (await database.secrets.toArray()).map(({ name }) => name);
  return { updates: await database.updates.count(), secrets };
}

test('[S109] going back makes a copy what is stored, and what was stored a copy to return to', async () => {
  let again = 0;
  const copies = new DexieCopies('gsv', clock, await DiskKey.of(new Uint8Array(32)), () => {
    again += 1;
  });
  const vault = new SealedVault(database);
  for (const name of ['password:1000', 'room/token']) await vault.put(name, 'secret');
  await database.updates.add({ doc: 'later', bytes: new Uint8Array([4]) } as never);
  const kept = await copies.make();
  expect(kept).toMatchObject({ version: database.verno, createdAt: NOW, returning: true, restored: null });
  await copies.restore(COPY, kept.name);
  expect([again, await database.updates.count()]).toEqual([1, 2]);
  expect(await startAgain()).toEqual({ updates: 1, secrets: [] });
  expect((await copies.list()).map(({ name, restored }) => [name, restored])).toEqual([
    [COPY, { at: NOW + 1, done: true }],
    [kept.name, null],
  ]);
  expect(await startAgain(), 'once').toEqual({ updates: 1, secrets: [] });
  await copies.restore(kept.name, kept.name);
  expect(await startAgain(), 'it belongs to no server').toEqual({ updates: 2, secrets: ['password:1000'] });
});

test('[S109] a copy that cannot be restored changes nothing, says so, and the next start is as ever', async () => {
  const copies = new DexieCopies('gsv', clock, await DiskKey.of(new Uint8Array(32)), () => {});
  await database.updates.add({ doc: 'later', bytes: new Uint8Array([4]) } as never);
  const kept = await copies.make();
  await copies.restore(COPY, kept.name);
  database.close();
  const { add } = IDBObjectStore.prototype;
  let failures = 1;
  IDBObjectStore.prototype.add = function (this: IDBObjectStore, ...args) {
    if (this.transaction.db.name === 'gsv' && failures-- > 0)
      throw new DOMException('The quota has been exceeded.', 'QuotaExceededError');
    return add.apply(this, args);
  };
  try {
    expect((await startAgain()).updates).toBe(2);
  } finally {
    Object.assign(IDBObjectStore.prototype, { add });
  }
  expect((await copies.list()).find(({ name }) => name === COPY)?.restored).toEqual({
    at: NOW + 1,
    done: false,
  });
  expect((await startAgain()).updates).toBe(2);
});

test('[S109] a start that is killed while it goes back does so at the next one', async () => {
  const copies = new DexieCopies('gsv', clock, await DiskKey.of(new Uint8Array(32)), () => {});
  await database.updates.add({ doc: 'later', bytes: new Uint8Array([4]) } as never);
  const kept = await copies.make();
  await copies.restore(COPY, kept.name);
  database.close();
  // So far a start may have come.
  await Dexie.delete('gsv');
  expect((await startAgain()).updates).toBe(1);
});

test('[S89] when everything is removed from a browser, the copies go, too', async () => {
  await removeBackups('gsv');
  expect(await Dexie.getDatabaseNames()).toEqual(['gsv']);
});
