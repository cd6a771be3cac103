import { expect, test } from 'vitest';
import { ManualClock } from '../../../tests/support/manual-clock.ts';
import { turns } from '../../../tests/support/turns.ts';
import { SendQueue } from './send-queue.ts';
import { writtenByAndBy } from './written-by-and-by.ts';

test('[S113] what a full disk refused goes out with what took it back, and what came after the write by itself', async () => {
  const clock = new ManualClock();
  const over = new AbortController();
  let full = true;
  const disk = { flush: async () => (full ? Promise.reject(new Error('full')) : undefined) };
  const sent: string[] = [];
  const queue = new SendQueue<string, string>({
    written: (trying) => writtenByAndBy(disk, clock, over.signal, trying),
    make: (changes) => [changes.join(' ')],
    send: (message) => sent.push(message),
  });
  queue.add('put');
  await turns(3);
  queue.add('taken back');
  expect([sent, queue.waiting]).toEqual([[], 2]);
  full = false;
  await clock.advance(1_000);
  await turns(3);
  expect(sent).toEqual(['put taken back']);
  queue.add('next');
  await turns(3);
  expect(sent).toEqual(['put taken back', 'next']);
  over.abort();
});
