import { expect, test } from 'vitest';
import { routeOf } from './routes.ts';

const origin = 'https://gsv.example';
const asked = (path: string, more: Partial<Request> = {}) =>
  routeOf(
    { method: 'GET', mode: 'cors', destination: '', url: new URL(path, origin).href, ...more } as Request,
    origin,
  );
const navigate = { mode: 'navigate', destination: 'document' } as const;

test('[U158] every address that a person goes to is the page, but for those of the server', () => {
  for (const path of ['/', '/chat/init%3A1', '/settings/storage', '/not/known?x=1'])
    expect(asked(path, navigate)).toEqual({ kind: 'page' });
  for (const path of ['/gsv.mjs', '/health', '/apps/notes', '/hooks/telegram'])
    expect(asked(path, navigate)).toBeNull();
  expect(asked('/chat/x', { mode: 'navigate', destination: 'iframe' })).toBeNull();
});

test('[U158] files of the page are read; everything else goes to the network as it is', () => {
  expect(asked('/assets/a-1.js')).toEqual({ kind: 'file', path: '/assets/a-1.js' });
  expect(asked('/skills.json')).toEqual({ kind: 'file', path: '/skills.json' });
  expect(asked('/relay', { method: 'POST' })).toBeNull();
  expect(asked('/share', { method: 'POST', mode: 'navigate' })).toEqual({ kind: 'share' });
  expect(asked('/share', { method: 'POST' })).toBeNull();
  expect(asked('/health')).toBeNull();
  expect(asked('https://elsewhere.example/a.js')).toBeNull();
});
