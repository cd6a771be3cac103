import { Dexie } from 'dexie';
import { IDBFactory, IDBKeyRange, IDBObjectStore } from 'fake-indexeddb';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ManualClock } from '../../../tests/support/manual-clock.ts';
import { systemRandom } from '../platform.ts';
import { type Database, openDatabase } from './database.ts';
import { DexieBlobs } from './dexie-blobs.ts';
import { DexieDocs } from './dexie-docs.ts';
import { DiskKey, SEAL_BYTES } from './disk-key.ts';
import { Reserve } from './reserve.ts';
import { SealedVault } from './sealed-vault.ts';

const before = { ...Dexie.dependencies };
const { add, put, clear } = IDBObjectStore.prototype;
const opened: Dexie[] = [];
const key = await DiskKey.of(new Uint8Array(32).fill(7));
const bytes = (...values: number[]) => new Uint8Array(values);

beforeEach(() => {
  Dexie.dependencies = { indexedDB: new IDBFactory(), IDBKeyRange };
});
afterEach(() => {
  for (const database of opened.splice(0)) database.close();
  Object.assign(IDBObjectStore.prototype, { add, put, clear });
  Dexie.dependencies = before;
});

function database(): Database {
  const database = openDatabase();
  opened.push(database);
  return database;
}

/** From now on every write of a row fails as on a full disk. */
function fillDisk(): void {
  const full = (): never => {
    throw new DOMException('full', 'QuotaExceededError');
  };
  Object.assign(IDBObjectStore.prototype, { add: full, put: full });
}

/** Until what is kept in reserve is given free. */
function fillDiskButReserve(): void {
  fillDisk();
  const clearing = function (this: IDBObjectStore) {
    if (this.name === 'reserve') freeDisk();
    return clear.call(this);
  };
  Object.assign(IDBObjectStore.prototype, { clear: clearing });
}

function freeDisk(): void {
  Object.assign(IDBObjectStore.prototype, { add, put });
}

describe('what a browser stores', () => {
  test('[S30] blobs of version 1 are all there in version 2, as ones that only this browser has', async () => {
    const old = new Dexie('gsv') as Database;
    old.version(1).stores({ updates: '++seq, doc', blobs: 'hash', secrets: 'name', keys: 'name' });
    const hashes = Array.from({ length: 20 }, (_, at) => at.toString(16).padStart(64, '0'));
    for (const [at, hash] of hashes.entries())
      await old.blobs.add({ hash, bytes: new Uint8Array(1000 + at).fill(at) });
    old.close();
    const blobs = new DexieBlobs(database(), key);
    const expected = hashes.map((hash, at) => ({ hash, size: 1000 + at, usedAt: 0, atRoom: false }));
    for (const _ of ['measured', 'remembered']) {
      expect((await blobs.list()).sort((a, b) => a.size - b.size)).toEqual(expected);
    }
    for (const [at, hash] of hashes.entries())
      expect(await blobs.get(hash)).toEqual(new Uint8Array(1000 + at).fill(at));
  });

  test('[S30] what is known of a blob is kept beside it, and goes with it', async () => {
    const blobs = new DexieBlobs(database(), key);
    const hash = await blobs.put(bytes(1, 2, 3), { usedAt: 5, atRoom: false });
    await blobs.note([
      { hash, atRoom: true },
      { hash: 'f'.repeat(64), usedAt: 9 },
    ]);
    expect(await blobs.list()).toEqual([{ hash, size: 3, usedAt: 5, atRoom: true }]);
    await blobs.delete(hash);
    expect(await blobs.list()).toEqual([]);
  });

  test('[S31] a document is loaded with what is not written yet, and while it is being written', async () => {
    const docs = new DexieDocs(database(), new ManualClock(), key);
    docs.append('a', bytes(1));
    await docs.flush();
    docs.append('a', bytes(2));
    docs.append('b', bytes(9));
    expect((await docs.load('a')).updates).toEqual([bytes(1), bytes(2)]);
    const writing = docs.flush();
    const loaded = (await docs.load('a')).updates;
    expect(loaded).toEqual(expect.arrayContaining([bytes(1), bytes(2)]));
    await writing;
    expect((await docs.load('a')).updates).toEqual([bytes(1), bytes(2)]);
    expect(await docs.size()).toBe(3 * (1 + SEAL_BYTES));
  });

  test('[S32] on a full disk every write says what to do, and nothing that was stored is lost', async () => {
    const stored = database();
    const docs = new DexieDocs(stored, new ManualClock(), key);
    const blobs = new DexieBlobs(stored, key);
    const vault = new SealedVault(stored, key);
    docs.append('a', bytes(1));
    docs.append('b', bytes(1));
    await docs.flush();
    const hash = await blobs.put(bytes(1, 2, 3));
    await vault.put('name', 'a secret');
    fillDisk();
    docs.append('a', bytes(2));
    const advice = /no space left for GSV.*Free some space.*nothing stored was lost/;
    await expect(docs.flush()).rejects.toThrow(advice);
    await expect(docs.compact('a', () => bytes(9))).rejects.toThrow(advice);
    await expect(blobs.put(bytes(4))).rejects.toThrow(advice);
    await expect(blobs.note([{ hash, usedAt: 7 }])).rejects.toThrow(advice);
    await expect(vault.put('other', 'x')).rejects.toThrow(advice);
    await expect(vault.put('name', 'another')).rejects.toThrow(advice);
    await docs.remove('b');
    expect((await docs.load('b')).updates, 'removing makes room').toEqual([]);
    expect((await docs.load('a')).updates).toEqual([bytes(1), bytes(2)]);
    freeDisk();
    await docs.flush();
    expect((await docs.load('a')).updates).toEqual([bytes(1), bytes(2)]);
    expect(await blobs.get(hash)).toEqual(bytes(1, 2, 3));
    expect(await vault.get('name')).toBe('a secret');
  });

  test('[S32] on a full disk folding updates together keeps all of them', async () => {
    const stored = database();
    const docs = new DexieDocs(stored, new ManualClock(), key);
    for (let n = 0; n < 5; n += 1) docs.append('a', bytes(n));
    await docs.flush();
    fillDisk();
    await expect(docs.compact('a', () => bytes(9))).rejects.toThrow('no space left');
    expect((await docs.load('a')).updates).toHaveLength(5);
  });

  test('[S91] on a full disk what makes room is written into what was kept free for it, which is kept again', async () => {
    const stored = database();
    const clock = new ManualClock();
    const reserve = new Reserve(stored, systemRandom, clock);
    const docs = new DexieDocs(stored, clock, key, reserve);
    reserve.keep();
    await clock.advance(5_000);
    await expect.poll(() => stored.reserve.count()).toBe(1);
    fillDiskButReserve();
    docs.append('a', bytes(1));
    await expect(docs.flush()).rejects.toThrow('no space left');
    docs.append('a', bytes(2));
    await docs.flush('reserve');
    expect(await stored.updates.count()).toBe(2);
    expect(await stored.reserve.count()).toBe(0);
    fillDisk();
    docs.append('a', bytes(3));
    await expect(docs.flush('reserve'), 'there is none').rejects.toThrow('no space left');
    freeDisk();
    await clock.advance(5_000);
    await expect.poll(() => stored.reserve.count()).toBe(1);
    const [row] = await stored.reserve.toArray();
    expect(row?.bytes.length).toBe(1024 * 1024);
    await docs.close();
  });
});
