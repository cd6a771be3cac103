import { Dexie } from 'dexie';
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openBackedUp, removeBackups } from './backup.ts';
import { type Database, openDatabase } from './database.ts';
import { DexieCopies } from './dexie-copies.ts';
import { DiskKey } from './disk-key.ts';

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
  const copies = new DexieCopies('gsv', clock, await DiskKey.of(new Uint8Array(32)));
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

test('[S89] when everything is removed from a browser, the copies go, too', async () => {
  await removeBackups('gsv');
  expect(await Dexie.getDatabaseNames()).toEqual(['gsv']);
});
