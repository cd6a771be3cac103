import { expect, test } from 'vitest';
import { MemoryCaches } from '../../tests/support/memory-caches.ts';
import { keepShared, SHARED_CACHE, SHARED_PATH } from './share.ts';

test('[U160] what is shared is kept for the page, and leads there; nothing else is done with it', async () => {
  const caches = new MemoryCaches();
  const body = new FormData();
  body.set('title', 'A page');
  body.set('url', 'https://example.org/a');
  body.append('files', new File(['one'], 'one.txt', { type: 'text/plain' }));
  body.append('files', new File(['two'], '../two.bin'));
  const request = new Request('https://gsv.example/share', { method: 'POST', body });
  const response = await keepShared(request, caches.storage);
  expect([response.status, response.headers.get('location')]).toEqual([303, '/']);
  const cache = await caches.open(SHARED_CACHE);
  const about = await (await cache.match(`${SHARED_PATH}about`))?.json();
  expect(about.text).toBe('A page\nhttps://example.org/a');
  expect(about.files.map(({ name }: { name: string }) => name)).toEqual(['one.txt', '../two.bin']);
  expect(await (await cache.match(`${SHARED_PATH}1`))?.text()).toBe('two');
});

test('[U160] what was shared before gives way', async () => {
  const caches = new MemoryCaches();
  const share = (text: string): Promise<Response> => {
    const body = new FormData();
    body.set('text', text);
    return keepShared(new Request('https://gsv.example/share', { method: 'POST', body }), caches.storage);
  };
  await share('one');
  await share('two');
  const cache = await caches.open(SHARED_CACHE);
  expect(await (await cache.match(`${SHARED_PATH}about`))?.json()).toEqual({ text: 'two', files: [] });
});
