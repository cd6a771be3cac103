import { expect, test } from 'vitest';
import { sha256Hex } from '../../shared/std/bytes.ts';
import { MemoryCaches } from '../../tests/support/memory-caches.ts';
import { type Entry, ShellCache } from './shell-cache.ts';

/** A server that holds the files of one build, as texts by path. */
type Files = Record<string, string>;

async function entriesOf(files: Files, when: Entry['when'] = 'first'): Promise<Entry[]> {
  return Promise.all(
    Object.entries(files).map(async ([path, text]) => ({
      url: path.slice(1),
      revision: path.startsWith('/assets/') ? null : await sha256Hex(new TextEncoder().encode(text)),
      when,
    })),
  );
}

async function build(caches: MemoryCaches, built: number, files: Files, more: Entry[] = [], policy = 'aa') {
  const asked: string[] = [];
  const server = { files };
  const fetch = async (path: string): Promise<Response> => {
    asked.push(path);
    const text = server.files[path];
    return text === undefined ? new Response('', { status: 404 }) : new Response(text);
  };
  const manifest = [...(await entriesOf(files)), ...more];
  return {
    asked,
    server,
    shell: new ShellCache({ caches: caches.storage, fetch, manifest, built, policy }),
  };
}

const text = async (response: Promise<Response>): Promise<string> => (await response).text();

test('[U155] a file that is of another build than the list ends the installation', async () => {
  const { shell, server } = await build(new MemoryCaches(), 1, { '/index.html': 'one' });
  server.files = { '/index.html': 'two' };
  await expect(shell.install()).rejects.toThrow('another build');
  server.files = {};
  await expect(shell.install()).rejects.toThrow('404');
});

test('[U155] an installation that was interrupted goes on, and fetches nothing twice', async () => {
  const caches = new MemoryCaches();
  const { shell, server, asked } = await build(caches, 1, { '/index.html': 'one', '/assets/a-1.js': 'a' });
  server.files = { '/assets/a-1.js': 'a' };
  await expect(shell.install()).rejects.toThrow();
  server.files = { '/index.html': 'one' };
  await shell.install();
  expect(asked.filter((path) => path === '/assets/a-1.js')).toHaveLength(1);
});

test('[U155] files that did not change are taken from the older build; under other headers they are fetched', async () => {
  const caches = new MemoryCaches();
  const one = await build(caches, 1, { '/index.html': 'one', '/assets/a-1.js': 'a' });
  await one.shell.install();
  const two = await build(caches, 2, { '/index.html': 'two', '/assets/a-1.js': 'a' });
  await two.shell.install();
  expect(two.asked).toEqual(['/index.html']);
  const three = await build(caches, 3, { '/index.html': 'three', '/assets/a-1.js': 'a' }, [], 'bb');
  await three.shell.install();
  expect(three.asked).toHaveLength(2);
});

test('[U156] a page of an older build finds its parts until it has moved, also when the server has them no more', async () => {
  const caches = new MemoryCaches();
  const one = await build(caches, 1, { '/index.html': 'one', '/assets/a-1.js': 'a' });
  await one.shell.install();
  const two = await build(caches, 2, { '/index.html': 'two', '/assets/b-2.js': 'b' });
  await two.shell.install();
  expect(await text(two.shell.index())).toBe('two');
  expect(await text(two.shell.file('/assets/a-1.js'))).toBe('a');
  await two.shell.tidy();
  expect((await two.shell.file('/assets/a-1.js')).status).toBe(404);
  expect(await text(two.shell.file('/assets/b-2.js'))).toBe('b');
});

test('[U156] a build that waits to take over is not forgotten by the one that runs', async () => {
  const caches = new MemoryCaches();
  const one = await build(caches, 1, { '/index.html': 'one' });
  const two = await build(caches, 2, { '/index.html': 'two' });
  await one.shell.install();
  await two.shell.install();
  await one.shell.tidy();
  expect(await text(two.shell.index())).toBe('two');
  expect(two.asked).toEqual(['/index.html']);
});

test('[U157] large parts come in the background or when they are used, and stay then', async () => {
  const caches = new MemoryCaches();
  const large = await entriesOf({ '/assets/large-1.js': 'large' }, 'later');
  const huge = await entriesOf({ '/assets/huge-1.wasm': 'huge' }, 'used');
  const one = await build(caches, 1, { '/index.html': 'one' }, [...large, ...huge]);
  one.server.files = { ...one.server.files, '/assets/large-1.js': 'large', '/assets/huge-1.wasm': 'huge' };
  await one.shell.install();
  expect(one.asked).toEqual(['/index.html']);
  await Promise.all([one.shell.fill(), one.shell.fill()]);
  expect(one.asked, 'once, though two pages have settled').toEqual(['/index.html', '/assets/large-1.js']);
  await one.shell.file('/assets/huge-1.wasm');
  one.server.files = {};
  expect(await text(one.shell.file('/assets/huge-1.wasm'))).toBe('huge');
  const two = await build(caches, 2, { '/index.html': 'two' }, [...large, ...huge]);
  await two.shell.install();
  await two.shell.fill();
  await two.shell.tidy();
  expect(two.asked).toEqual(['/index.html']);
  expect(await text(two.shell.file('/assets/huge-1.wasm'))).toBe('huge');
});
