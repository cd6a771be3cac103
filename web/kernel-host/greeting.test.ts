import { expect, test } from 'vitest';
import { sayHello } from './greeting.ts';

test('[U64] a page stays attached when the time for its hello has run out', async () => {
  const { port1: page, port2: kernel } = new MessageChannel();
  const patience = new AbortController();
  kernel.onmessage = () => kernel.postMessage({ type: 'welcome', lock: 'gsv-kernel-1' });
  expect(await sayHello(page, { type: 'hello', tab: 'tab', lock: 'gsv-tab-1' }, false, patience.signal)).toBe(
    'gsv-kernel-1',
  );
  const heard = new Promise((resolve) => {
    page.onmessage = ({ data }) => resolve(data);
  });
  patience.abort();
  kernel.postMessage('later');
  expect(await heard).toBe('later');
  page.close();
});

test('[U64] a kernel that does not answer in time is given up', async () => {
  const { port1: page } = new MessageChannel();
  const patience = new AbortController();
  const asked = sayHello(page, { type: 'hello', tab: 'tab', lock: 'gsv-tab-1' }, false, patience.signal);
  patience.abort();
  await expect(asked).rejects.toThrow('does not answer');
  page.close();
});
