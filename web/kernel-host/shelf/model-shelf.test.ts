import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type CatalogueModel, catalogue } from '../../../shared/kernel/local/catalogue.ts';
import type { DeviceFacts, StoredModel } from '../../../shared/kernel/ports/model-store.ts';
import { streamOf } from '../../../shared/protocol/streams.ts';
import { deferred } from '../../../shared/std/deferred.ts';
import { type FileServer, startFileServer } from '../../../tests/support/file-server.ts';
import { MemoryModelDisk } from '../../../tests/support/memory-model-disk.ts';
import { tinyGguf } from '../../../tests/support/tiny-gguf.ts';
import { systemClock } from '../platform.ts';
import { ModelShelf } from './model-shelf.ts';

const PIECE = 10_000;
const file = tinyGguf();
const sha256 = createHash('sha256').update(file).digest('hex');
const model = catalogue.find(({ id }) => id === 'qwen3-0.6b') as CatalogueModel;
const PATH = '/Qwen/Qwen3-0.6B-GGUF/resolve/main/Qwen3-0.6B-Q8_0.gguf';

let server: FileServer;
let disk: MemoryModelDisk;
const facts: DeviceFacts = { gpu: null, memoryGb: 8, freeBytes: 10e9, wasm: true };

beforeAll(async () => {
  server = await startFileServer();
});
afterAll(() => server.close());
beforeEach(() => {
  disk = new MemoryModelDisk();
  server.files = new Map([[PATH, file]]);
  Object.assign(server, { claims: new Map(), breakAfter: null, hold: null, ranges: true, status: 200 });
  server.asked.length = 0;
});

const open = (device = facts): ModelShelf =>
  new ModelShelf({ disk, fetch, clock: systemClock, device: async () => device, pieceBytes: PIECE });

async function until(shelf: ModelShelf, state: StoredModel['state'], id = model.id): Promise<StoredModel> {
  await expect.poll(async () => (await shelf.list()).find((row) => row.id === id)?.state).toBe(state);
  return (await shelf.list()).find((row) => row.id === id) as StoredModel;
}

async function contents(shelf: ModelShelf, id = model.id): Promise<Buffer> {
  const found = await shelf.find('wllama', id);
  const pieces = (found?.files ?? []).map(async (path) => {
    const blob = await disk.read(id, path.split('/').at(-1) ?? '');
    return Buffer.from((await blob?.arrayBuffer()) ?? new ArrayBuffer(0));
  });
  return Buffer.concat(await Promise.all(pieces));
}

test('[A111] a model is downloaded, checked against its published SHA-256, and found by the engine', async () => {
  const shelf = open();
  await shelf.download(model, server.url);
  const row = await until(shelf, 'ready');
  expect(row).toMatchObject({ bytes: file.length, storedBytes: file.length, sha256, checked: true });
  expect(Buffer.compare(await contents(shelf), Buffer.from(file))).toBe(0);
  expect(await shelf.find('wllama', model.id)).toMatchObject({ contextWindow: 4_096, callsTools: true });
  expect(await shelf.list('wllama')).toEqual([{ id: model.id, name: model.name, contextWindow: 4_096 }]);
});

test('[A112] a download that breaks off says so and goes on from its last whole piece', async () => {
  const shelf = open();
  server.breakAfter = 25_000;
  await shelf.download(model, server.url);
  const failed = await until(shelf, 'failed');
  expect(failed.problem).not.toBe('');
  await shelf.resume(model.id);
  await until(shelf, 'ready');
  expect(server.asked).toEqual([null, 'bytes=20000-']);
  expect(Buffer.compare(await contents(shelf), Buffer.from(file))).toBe(0);
});

test('[A112] a kernel that ends in the middle of a download goes on with it when it is started again', async () => {
  const released = deferred<void>();
  server.hold = { after: 35_000, released: released.promise };
  const first = open();
  await first.download(model, server.url);
  await expect.poll(() => disk.files.get(model.id)?.has('00002')).toBe(true);
  // What is on the disk now is all that the next one has.
  const kept = disk;
  disk = new MemoryModelDisk();
  for (const [name, files] of kept.files) disk.files.set(name, new Map(files));
  server.hold = null;
  const second = open();
  await until(second, 'ready');
  expect(server.asked.at(-1)).toBe('bytes=30000-');
  expect(Buffer.compare(await contents(second), Buffer.from(file))).toBe(0);
  released.resolve();
});

test('[A112] a paused download stays paused, over a restart too, until it is gone on with', async () => {
  const released = deferred<void>();
  server.hold = { after: 35_000, released: released.promise };
  const shelf = open();
  await shelf.download(model, server.url);
  await expect.poll(() => disk.files.get(model.id)?.has('00002')).toBe(true);
  await shelf.pause(model.id);
  released.resolve();
  server.hold = null;
  const again = open();
  expect(await until(again, 'paused')).toMatchObject({ storedBytes: 30_000, problem: '' });
  expect(await again.find('wllama', model.id)).toBeUndefined();
  await again.resume(model.id);
  await until(again, 'ready');
});

test('[A112] a server without ranges sends everything again, and what is here is not stored twice', async () => {
  const shelf = open();
  server.breakAfter = 25_000;
  await shelf.download(model, server.url);
  await until(shelf, 'failed');
  server.ranges = false;
  await shelf.resume(model.id);
  await until(shelf, 'ready');
  expect(Buffer.compare(await contents(shelf), Buffer.from(file))).toBe(0);
});

test('[A113] a file that is not the published one is refused and removed, and can be tried again', async () => {
  server.claims.set(PATH, 'f'.repeat(64));
  const shelf = open();
  await shelf.download(model, server.url);
  const failed = await until(shelf, 'failed');
  expect(failed).toMatchObject({ problem: expect.stringContaining('damaged'), storedBytes: 0 });
  expect(await shelf.find('wllama', model.id)).toBeUndefined();
  expect(disk.files.get(model.id)?.has('00000')).toBe(false);
});

test('[A113] a file that changed at its address since is not joined to the old beginning', async () => {
  const shelf = open();
  server.breakAfter = 25_000;
  await shelf.download(model, server.url);
  await until(shelf, 'failed');
  server.files.set(PATH, tinyGguf({ seed: 7, layers: 2 }));
  await shelf.resume(model.id);
  const failed = await until(shelf, 'failed');
  expect(failed.problem).toContain('has changed');
  await shelf.resume(model.id);
  expect((await until(shelf, 'ready')).bytes).toBe(tinyGguf({ layers: 2 }).length);
});

test('[A113] a page that is no model is not stored as one', async () => {
  server.files.set('/sign-in.gguf', new TextEncoder().encode(`<html>${'x'.repeat(100)}</html>`));
  const shelf = open();
  const id = await shelf.add({ address: `${server.url}/sign-in.gguf`, sha256: '', callsTools: true }, '');
  expect((await until(shelf, 'failed', id)).problem).toContain('not a GGUF');
});

test('[A114] there being too little room is said before a byte is asked for, and a disk that fills loses nothing', async () => {
  await expect(open({ ...facts, freeBytes: 100e6 }).download(model, server.url)).rejects.toThrow(
    'There is not enough room: it takes 0.7 GB, and 0.1 GB are left for this site.',
  );
  expect(server.asked).toEqual([]);
  const shelf = open();
  disk.full = true;
  await shelf.download(model, server.url);
  expect((await until(shelf, 'failed')).problem).toBe('There is no room left on this device.');
  disk.full = false;
  await shelf.resume(model.id);
  await until(shelf, 'ready');
});

test('[A115] any address can be added, with its hash; two of one name do not meet', async () => {
  server.files.set('/my%20model.gguf', file);
  const shelf = open();
  const address = `${server.url}/my%20model.gguf`;
  const first = await shelf.add({ address, sha256, callsTools: false }, '');
  const second = await shelf.add({ address, sha256: '', callsTools: true }, '');
  expect([first, second]).toEqual(['my-model', 'my-model-2']);
  expect(await until(shelf, 'ready', first)).toMatchObject({
    name: 'my model',
    checked: true,
    callsTools: false,
  });
  expect(await until(shelf, 'ready', second)).toMatchObject({ checked: false, sha256 });
  server.status = 403;
  const third = await shelf.add({ address, sha256: '', callsTools: true }, '');
  expect((await until(shelf, 'failed', third)).problem).toContain(
    'does not give this file to everybody (403)',
  );
});

test('[A115] a file of this device is imported whole or not at all, and deleted without a trace', async () => {
  const shelf = open();
  const id = await shelf.importFile('Mine.gguf', streamOf(file));
  expect(await until(shelf, 'ready', id)).toMatchObject({ name: 'Mine', address: '', sha256 });
  await expect(shelf.importFile('text.gguf', streamOf(new Uint8Array(500)))).rejects.toThrow('not a GGUF');
  expect(await disk.directories()).toEqual([id]);
  await shelf.remove(id);
  expect(await disk.directories()).toEqual([]);
  expect(await shelf.list()).toEqual([]);
});

test('[A116] the speed measured here stays with the model, and changes are told at most a few times a second', async () => {
  const shelf = open();
  const id = await shelf.importFile('a.gguf', streamOf(file));
  let told = 0;
  shelf.onChange(() => {
    told += 1;
  });
  for (let at = 0; at < 50; at += 1) shelf.measured('wllama', id, 12.345);
  expect(await until(open(), 'ready', id)).toMatchObject({ tokensPerSecond: 12.3 });
  await expect.poll(() => told).toBeGreaterThan(0);
  expect(told).toBeLessThan(3);
});
