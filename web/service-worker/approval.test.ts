import { expect, test } from 'vitest';
import { MemoryCaches } from '../../tests/support/memory-caches.ts';
import { hasApproval, keepApproval, takeApproval } from './approval.ts';

const approve = { pid: 'init:1', notificationId: 'approval:9' };

test('[U171] an approval from a notification reaches the page once, and only within a few minutes', async () => {
  const { storage } = new MemoryCaches();
  expect(await hasApproval(storage, 1)).toBe(false);
  await keepApproval(storage, { open: '/', approve }, 0);
  expect(await hasApproval(storage, 1)).toBe(true);
  expect(await hasApproval(storage, 6 * 60_000), 'later').toBe(false);
  expect(await takeApproval(storage, 1)).toEqual(approve);
  expect(await takeApproval(storage, 1)).toBeNull();
  await keepApproval(storage, { approve }, 0);
  expect(await takeApproval(storage, 6 * 60_000)).toBeNull();
});

test('[U171] a notification that asks nothing approves nothing', async () => {
  const { storage } = new MemoryCaches();
  for (const data of [null, {}, { open: '/' }, { approve: { pid: 1 } }]) await keepApproval(storage, data, 0);
  expect(await takeApproval(storage, 1)).toBeNull();
});
