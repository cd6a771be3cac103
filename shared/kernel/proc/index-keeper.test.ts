import { afterEach, expect, test, vi } from 'vitest';
import { TestKernel, type TestPage } from '../../../tests/support/kernel.ts';
import { ManualClock } from '../../../tests/support/manual-clock.ts';
import { says } from '../../../tests/support/scripted-models.ts';
import { writeHistory, written } from '../../../tests/support/written.ts';
import { deferred } from '../../std/deferred.ts';
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
  const reads = blockReads(kernel, clock);
  await kernel.boot();
  const page = await kernel.signedIn();
  await page.history();
  return { kernel, clock, page, reads };
}

/** The moments at which blocks of messages are read from a kernel's disk from its next start on. */
function blockReads({ disk }: TestKernel, clock: ManualClock): number[] {
  const moments: number[] = [];
  const docs = disk.docs.bind(disk);
  disk.docs = () => {
    const store = docs();
    const load = store.load.bind(store);
    store.load = (name) => {
      if (/\/g\d+\/\d+$/.test(name)) moments.push(clock.now());
      return load(name);
    };
    return store;
  };
  return moments;
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
  const { page, clock, kernel, reads } = await world();
  const held = deferred<void>();
  kernel.models.script = async () => {
    await held.promise;
    return says('ok');
  };
  const { runId } = await page.send('hold on');
  reads.length = 0;
  await clock.advance(20_000);
  expect(reads).toEqual([]);
  held.resolve();
  await page.finished(runId);
  for (let ms = 0; ms < 5_000; ms += 20) await clock.advance(20);
  expect(reads.length).toBeGreaterThanOrEqual(BLOCKS);
  expect(new Set(reads).size).toBe(reads.length);
});

test('[P410] what was said last is found in the index, too, once its run is over for a while', async () => {
  const { page, clock } = await world();
  await clock.advance(20_000);
  await page.run('something new entirely');
  await clock.advance(5_000);
  expect(await readBy(page, 'nowhere to be found')).toEqual({ found: 0, read: [] });
  expect((await readBy(page, 'entirely')).found).toBe(1);
});
