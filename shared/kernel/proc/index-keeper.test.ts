import { afterEach, expect, test, vi } from 'vitest';
import { TestKernel, type TestPage } from '../../../tests/support/kernel.ts';
import { ManualClock } from '../../../tests/support/manual-clock.ts';
import { says } from '../../../tests/support/scripted-models.ts';
import { writeHistory, written } from '../../../tests/support/written.ts';
import { deferred } from '../../std/deferred.ts';
import { Documents } from '../documents.ts';
import { MessageLog } from './message-log.ts';

const MESSAGES = 2_000;
const BLOCKS = 10;
const HOME = 'init:1000';

/** A kernel with one long conversation that nobody has searched yet. */
async function world() {
  const clock = new ManualClock();
  clock.jump(Date.UTC(2026, 0, 1, 8));
  const kernel = new TestKernel(() => says('ok'), { clock });
  await kernel.ready();
  kernel.kill();
  await writeHistory(kernel, HOME, MESSAGES, (at) =>
    written(at, at === 777 ? 'the unmistakable word' : `message number ${at} of many`),
  );
  await kernel.boot();
  const page = await kernel.signedIn();
  await page.history();
  return { kernel, clock, page };
}

/** The blocks that a search reads. */
async function readBy(page: TestPage, query: string): Promise<{ found: number; read: unknown[] }> {
  const peeked = vi.spyOn(MessageLog.prototype, 'peek');
  const answer = await page.call('proc.search', { query });
  const read = peeked.mock.calls.map(([block]) => block);
  peeked.mockRestore();
  return { found: answer.ok ? answer.matches.length : -1, read };
}

afterEach(() => vi.restoreAllMocks());

test('[P410] what nobody has searched yet is made searchable a while after a start, and the first search reads only what it finds', async () => {
  const { page, clock, kernel } = await world();
  await clock.advance(20_000);
  expect(await readBy(page, 'unmistakable')).toEqual({ found: 1, read: [3] });
  await page.call('sys.config.set', { key: 'users/1000/ai/titles', value: 'off' });
  const after = await kernel.restart();
  await after.history();
  expect(await readBy(after, 'unmistakable')).toEqual({ found: 1, read: [3] });
});

test('[P410] a search before that makes what it needs itself', async () => {
  const { page } = await world();
  const { found, read } = await readBy(page, 'unmistakable');
  expect([found, read.length]).toEqual([1, BLOCKS]);
});

test('[P411] it is made a block at a time, and not while a run goes on', async () => {
  const { page, clock, kernel } = await world();
  const peeked = vi.spyOn(Documents.prototype, 'peek');
  const held = deferred<void>();
  kernel.models.script = async () => {
    await held.promise;
    return says('ok');
  };
  const { runId } = await page.send('hold on');
  await clock.advance(20_000);
  expect(peeked).toHaveBeenCalledTimes(0);
  held.resolve();
  await page.finished(runId);
  const steps: unknown[][] = [];
  for (let ms = 0; ms < 5_000; ms += 20) {
    const before = peeked.mock.contexts.length;
    await clock.advance(20);
    steps.push(peeked.mock.contexts.slice(before));
  }
  // Kernels of other tests may still be at work in this thread.
  const countsOf = (documents: unknown) => steps.map((all) => all.filter((one) => one === documents).length);
  const own = steps.flat().find((documents) => countsOf(documents).filter(Boolean).length >= BLOCKS);
  expect(own && Math.max(...countsOf(own))).toBe(1);
});

test('[P410] what was said last is found in the index, too, once its run is over for a while', async () => {
  const { page, clock } = await world();
  await clock.advance(20_000);
  await page.run('something new entirely');
  await clock.advance(5_000);
  expect(await readBy(page, 'nowhere to be found')).toEqual({ found: 0, read: [] });
  expect((await readBy(page, 'entirely')).found).toBe(1);
});
