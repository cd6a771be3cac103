import { prebuiltAppConfig } from '@mlc-ai/web-llm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type CatalogueModel, catalogue } from '../../../shared/kernel/local/catalogue.ts';
import { webllmPlace } from '../../../shared/kernel/local/hub.ts';
import type { StoredModel } from '../../../shared/kernel/ports/model-store.ts';
import { deferred } from '../../../shared/std/deferred.ts';
import { type FileServer, startFileServer } from '../../../tests/support/file-server.ts';
import { MemoryCaches } from '../../../tests/support/memory-caches.ts';
import { MemoryModelDisk } from '../../../tests/support/memory-model-disk.ts';
import { webllmFiles } from '../../../tests/support/webllm-files.ts';
import { WEIGHTS_CACHE } from './webllm-files.ts';
import { WebllmShelf } from './webllm-shelf.ts';

const model = catalogue.find(({ id }) => id === 'web-llama3.2-1b-f32') as CatalogueModel;
const NAME = 'Llama-3.2-1B-Instruct-q4f32_1-MLC';
const SHARD = `/mlc-ai/${NAME}/resolve/main/params_shard_1.bin`;

let server: FileServer;
let disk: MemoryModelDisk;
let caches: MemoryCaches;
beforeAll(async () => {
  server = await startFileServer();
});
afterAll(() => server.close());
beforeEach(() => {
  disk = new MemoryModelDisk();
  caches = new MemoryCaches();
  server.files = webllmFiles(NAME);
  server.asked.length = 0;
  server.claims.clear();
  server.hold = null;
});

const open = (freeBytes = 10e9): WebllmShelf =>
  new WebllmShelf({
    disk,
    caches: caches.storage,
    fetch,
    device: async () => ({ gpu: null, memoryGb: 8, freeBytes, wasm: true }),
    changed: () => {},
  });

async function until(shelf: WebllmShelf, state: StoredModel['state']): Promise<StoredModel | undefined> {
  await expect.poll(async () => (await shelf.list())[0]?.state).toBe(state);
  return (await shelf.list())[0];
}

test('[A147] all files of a WebLLM model are brought where WebLLM looks for them, and are deleted without a trace', async () => {
  const shelf = open();
  await shelf.download(model, server.url);
  expect(await until(shelf, 'ready')).toMatchObject({ bytes: 128, storedBytes: 128 });
  const { weights, program } = webllmPlace(NAME, server.url);
  expect(await open().find(model.id)).toMatchObject({ files: [weights, program], contextWindow: 4_096 });
  expect(await caches.match(`${weights}params_shard_1.bin`)).toBeDefined();
  expect(await caches.match(program)).toBeDefined();
  await shelf.remove(model.id);
  expect([await shelf.list(), disk.files.size]).toEqual([[], 0]);
  const cached = await Promise.all(
    (await caches.keys()).map(async (name) => (await caches.open(name)).keys()),
  );
  expect(cached.flat()).toEqual([]);
});

test('[A147] a paused, broken or ended download of a WebLLM model goes on, and asks for no file twice', async () => {
  const shelf = open();
  server.files.delete(SHARD);
  await shelf.download(model, server.url);
  expect((await until(shelf, 'failed'))?.problem).toContain(
    'does not have params_shard_1.bin (it answers 404)',
  );
  server.files = webllmFiles(NAME);
  server.asked.length = 0;
  const released = deferred<void>();
  server.hold = { after: 10, released: released.promise };
  await shelf.download(model, server.url);
  await expect.poll(() => server.asked.length).toBe(1);
  await shelf.pause(model.id);
  await until(shelf, 'paused');
  released.resolve();
  server.hold = null;
  await shelf.download(model, server.url);
  await until(shelf, 'ready');
  expect(server.asked).toHaveLength(2);
});

test('[A148] a damaged file, one that is no model, and too little room are said, and nothing of them is kept', async () => {
  server.files.set(SHARD, new Uint8Array(10));
  const shelf = open();
  await shelf.download(model, server.url);
  expect((await until(shelf, 'failed'))?.problem).toContain('damaged');
  expect(await caches.match(`${server.url}${SHARD}`)).toBeUndefined();
  caches = new MemoryCaches();
  disk = new MemoryModelDisk();
  server.files.set(`/mlc-ai/${NAME}/resolve/main/mlc-chat-config.json`, new TextEncoder().encode('{}'));
  const other = open();
  await other.download(model, server.url);
  expect((await until(other, 'failed'))?.problem).toContain('no model that WebLLM can run');
  disk = new MemoryModelDisk();
  await expect(open(1_000).download(model, server.url)).rejects.toThrow('There is not enough room');
});

test('[A149] each proposed WebLLM model is one that the installed WebLLM runs, with its program’s address', () => {
  for (const { source } of catalogue) {
    if (source.kind !== 'webllm') continue;
    const record = prebuiltAppConfig.model_list.find(({ model_id }) => model_id === source.modelId);
    const { weights, program } = webllmPlace(source.modelId);
    expect([`${record?.model}/resolve/main/`, record?.model_lib]).toEqual([weights, program]);
    if (record?.required_features?.includes('shader-f16')) expect(source.shaderF16).toBe(true);
  }
});

const cached = async (path: string): Promise<string | undefined> =>
  (await caches.match(`${server.url}${path}`))?.text();

async function spoil(path: string): Promise<void> {
  const cache = await caches.open(WEIGHTS_CACHE);
  await cache.put(`${server.url}${path}`, new Response('spoiled'));
}

test('[A156] a file of WebLLM that is not the published one is refused; others are noted as they came', async () => {
  server.claims.set(SHARD, 'a'.repeat(64));
  const shelf = open();
  await shelf.download(model, server.url);
  expect((await until(shelf, 'failed'))?.problem).toContain('SHA-256');
  expect(await cached(SHARD)).toBeUndefined();
  server.claims.clear();
  await shelf.download(model, server.url);
  expect(await until(shelf, 'ready')).toMatchObject({ checked: true });
  // Where nobody publishes anything.
  disk = new MemoryModelDisk();
  caches = new MemoryCaches();
  server.files = new Map([...server.files].map(([path, bytes]) => [`/copy${path}`, bytes]));
  const other = open();
  const place = webllmPlace(NAME, `${server.url}/copy`);
  await other.add(place, true, '');
  expect(await until(other, 'ready')).toMatchObject({
    checked: false,
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
});

test('[A156] what has changed on the disk is noticed before a kernel loads it first, and brought anew', async () => {
  const shelf = open();
  await shelf.download(model, server.url);
  await until(shelf, 'ready');
  await spoil(SHARD);
  const restarted = open();
  await expect(restarted.find(model.id)).rejects.toThrow('have changed on this disk');
  expect((await until(restarted, 'failed'))?.problem).toContain('Try again');
  expect(await restarted.find(model.id)).toBeUndefined();
  server.asked.length = 0;
  await restarted.resume(model.id);
  await until(restarted, 'ready');
  expect(server.asked).toHaveLength(1);
  expect(await cached(SHARD)).not.toBe('spoiled');
  expect(await restarted.find(model.id)).toBeDefined();
});

test('[A156] what a killed kernel left in the middle is checked when the download goes on', async () => {
  server.files.delete(SHARD);
  const shelf = open();
  await shelf.download(model, server.url);
  await until(shelf, 'failed');
  server.files = webllmFiles(NAME);
  await spoil(SHARD.replace('shard_1', 'shard_0'));
  const restarted = open();
  await restarted.resume(model.id);
  await until(restarted, 'ready');
  expect(await cached(SHARD.replace('shard_1', 'shard_0'))).not.toBe('spoiled');
});
