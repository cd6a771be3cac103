import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FileServer, startFileServer } from '../../../tests/support/file-server.ts';
import { TestKernel, type TestPage } from '../../../tests/support/kernel.ts';
import { modelShelves } from '../../../tests/support/model-shelves.ts';
import { tinyGguf } from '../../../tests/support/tiny-gguf.ts';
import { webllmFiles } from '../../../tests/support/webllm-files.ts';
import { mirroredPaths } from '../local/hub.ts';

const NAME = 'Tiny-Chat-q4f32_1-MLC';

let hub: FileServer;
beforeAll(async () => {
  hub = await startFileServer();
  hub.files = webllmFiles(NAME);
});
afterAll(() => hub.close());

const ready = (): Promise<TestPage> => new TestKernel(undefined, { modelStore: modelShelves() }).ready();

async function setAi(page: TestPage, name: string, value: string): Promise<void> {
  await page.call('sys.config.set', { key: `users/1000/ai/${name}`, value });
}

async function modelOf(page: TestPage, id: string) {
  const { models } = await page.call('ai.local.list', {});
  return models.find((model) => model.id === id);
}

test('[A153] a model that is compiled for WebLLM is added by two addresses, which are checked, and is listed and deleted', async () => {
  const page = await ready();
  const library = `${hub.url}/libs/tiny-webgpu.wasm`;
  hub.files.set('/libs/tiny-webgpu.wasm', new TextEncoder().encode('no program'));
  const add = (address: string, program: string, more = {}) =>
    page.call('ai.local.add', { address, library: program, ...more });
  const weights = `${hub.url}/mlc-ai/${NAME}/resolve/main`;
  await expect(add('ftp://hub/x', library)).rejects.toThrow('address of the weights');
  await expect(add(weights, `${hub.url}/libs/tiny.bin`)).rejects.toThrow('.wasm');
  await expect(add(weights, 'http://localhost:1/a.wasm')).rejects.toThrow('127.0.0.1');
  await expect(add(weights, library, { sha256: 'a'.repeat(64) })).rejects.toThrow('single SHA-256');
  await setAi(page, 'model_mirror', hub.url);
  // As a person copies it from the model's page.
  const { id } = await add(`${hub.url}/mlc-ai/${NAME}`, library);
  await expect.poll(async () => (await modelOf(page, id))?.state).toBe('ready');
  expect(await modelOf(page, id)).toMatchObject({ engine: 'webllm', name: NAME, bytes: 128, checked: true });
  await page.call('ai.local.remove', { id });
  expect(await modelOf(page, id)).toBeUndefined();
});

test('[A154] a model says which conversations ask it first: all of its account’s, or those that are kept on this device', async () => {
  const page = await ready();
  const made = await page.call('proc.spawn', { profile: 'task', label: 'Garden' });
  if (!made.ok) throw new Error(made.error);
  const opened = await page.call('proc.conversation.open', { pid: made.pid, title: 'Roses' });
  if (!opened.ok) throw new Error('not opened');
  const use = async (id: string) => (await modelOf(page, id))?.use;
  await setAi(page, 'provider', 'wllama');
  await setAi(page, 'model', 'qwen3-0.6b');
  const main = await use('qwen3-0.6b');
  expect(main).toMatchObject({ main: true, standIn: false });
  expect(main?.conversations.map(({ title, label, profile }) => [title, label, profile])).toEqual(
    expect.arrayContaining([
      ['Roses', 'Garden', 'task'],
      [null, 'Garden', 'task'],
    ]),
  );
  expect(await use('smollm2-135m')).toEqual({ main: false, standIn: false, conversations: [], total: 0 });
  await setAi(page, 'provider', 'openai');
  await setAi(page, 'local', 'wllama/qwen3-0.6b');
  expect(await use('qwen3-0.6b')).toMatchObject({ main: false, standIn: true, total: 0 });
  const { id: conversationId } = opened.conversation;
  await page.call('proc.conversation.pin', { pid: made.pid, conversationId, private: true });
  expect(await use('qwen3-0.6b')).toMatchObject({
    total: 1,
    conversations: [{ pid: made.pid, conversationId, title: 'Roses' }],
  });
  await page.call('proc.kill', { pid: made.pid });
  expect(await use('qwen3-0.6b')).toMatchObject({ total: 0, conversations: [] });
});

/** A path with names in capital letters, as a pattern. */
function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/[.]/g, '\\.').replaceAll(/[A-Z]{4,}/g, '[^/]+')}$`);
}

test('[A155] downloads through a mirror ask it for the paths that it must serve, and nobody else', async () => {
  const asked: string[] = [];
  const listening: typeof fetch = (address, init) => {
    asked.push(String(address));
    return fetch(address, init);
  };
  const page = await new TestKernel(undefined, { modelStore: modelShelves(listening) }).ready();
  hub.files = new Map([
    ...webllmFiles('Llama-3.2-1B-Instruct-q4f32_1-MLC'),
    ['/Qwen/Qwen3-0.6B-GGUF/resolve/main/Qwen3-0.6B-Q8_0.gguf', tinyGguf()],
  ]);
  await setAi(page, 'model_mirror', `${hub.url}/`);
  for (const id of ['web-llama3.2-1b-f32', 'qwen3-0.6b']) {
    await page.call('ai.local.download', { id });
    await expect.poll(async () => (await modelOf(page, id))?.state).toBe('ready');
    expect(await modelOf(page, id)).toMatchObject({ checked: true });
  }
  const served = Object.values(mirroredPaths()).map(patternOf);
  const fits = (address: string): boolean => {
    const { origin, pathname } = new URL(address);
    return origin === hub.url && served.some((path) => path.test(pathname));
  };
  expect(asked.filter((address) => !fits(address))).toEqual([]);
  expect(served.every((path) => asked.some((address) => path.test(new URL(address).pathname)))).toBe(true);
});
