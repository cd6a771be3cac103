import { expect, test } from 'vitest';
import { openFrom } from './notice-click.ts';
import type { WindowClient } from './scope.ts';

function clientsWith(...windows: WindowClient[]) {
  const opened: string[] = [];
  const clients = {
    claim: async () => {},
    matchAll: async () => windows,
    openWindow: async (url: string) => {
      opened.push(url);
      return null;
    },
  };
  return { clients, opened };
}

test('[U236] a notification that is clicked brings the open page to its conversation, or opens one', async () => {
  const said: unknown[] = [];
  const page: WindowClient = {
    id: 'one',
    url: '/',
    visibilityState: 'hidden',
    postMessage: (message) => said.push(message),
    focus: async () => {
      said.push('focus');
      return page;
    },
  };
  await openFrom(clientsWith(page), { open: '/chat/init%3A1000' });
  expect(said).toEqual([{ open: '/chat/init%3A1000' }, 'focus']);
  const none = clientsWith();
  await openFrom(none, { open: '/chat/a' });
  await openFrom(none, { open: 'https://elsewhere.example' });
  await openFrom(none, { open: '//elsewhere.example' });
  await openFrom(none, null);
  expect(none.opened).toEqual(['/chat/a', '/', '/', '/']);
});
