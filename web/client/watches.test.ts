import { afterEach, expect, test } from 'vitest';
import { TestKernel, type TestPage } from '../../tests/support/kernel.ts';
import { waitFor } from '../../tests/support/server.ts';
import { Watches } from './watches.ts';

/** More than a kernel opens for one page. */
const MANY = 40;

const kernel = new TestKernel();
afterEach(() => kernel.kernel.stop());

async function opened(): Promise<{ page: TestPage; watches: Watches; count: number }> {
  const page = await kernel.ready();
  const { processes } = await page.call('proc.list', {});
  const watches = new Watches();
  watches.reopen(page.peer);
  return { page, watches, count: processes.length };
}

/** How many processes were seen at each call. */
function watching(watches: Watches): { seen: number[]; end(): void } {
  const seen: number[] = [];
  const end = watches.add({ view: 'processes' }, (_rows, total) => seen.push(total));
  return { seen, end };
}

const allSee = (watchers: readonly { seen: number[] }[], total: number): Promise<void> =>
  waitFor(() => watchers.every(({ seen }) => seen.at(-1) === total), `${total} processes to be seen`);

test('[U253] a view that many watch is opened once, and each of them sees all of it and what changes', async () => {
  const { page, watches, count } = await opened();
  const many = Array.from({ length: MANY }, () => watching(watches));
  await allSee(many, count);
  const late = watching(watches);
  expect(late.seen, 'nothing before it has what ends it').toEqual([]);
  await allSee([late], count);
  await page.call('proc.spawn', { profile: 'task' });
  watches.patch((await page.heard(({ signal }) => signal === 'view.patch')).payload);
  await allSee([...many, late], count + 1);
});

test('[U253] it stays open until its last watcher has gone, and is closed then', async () => {
  const { watches, count } = await opened();
  for (let n = 0; n < MANY; n += 1) {
    // Ended before the kernel has answered.
    watching(watches).end();
    const [first, second] = [watching(watches), watching(watches)];
    await allSee([first, second], count);
    first.end();
    const third = watching(watches);
    second.end();
    await allSee([third], count);
    third.end();
    expect(first.seen).toEqual([count]);
  }
});

test('[U253] on a new connection each of its watchers sees what there is now', async () => {
  const { page, watches, count } = await opened();
  const both = [watching(watches), watching(watches)];
  await allSee(both, count);
  await page.call('proc.spawn', { profile: 'task' });
  watches.reopen((await kernel.restart()).peer);
  await allSee(both, count + 1);
});
