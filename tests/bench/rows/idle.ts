import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { TestKernel } from '../../support/kernel.ts';
import type { MemoryDisk } from '../../support/memory-storage.ts';
import { paired, type Row, rowOf } from '../row.ts';
import type { BenchSite } from '../site.ts';

const RUNS = 5;
const MANY = 500;
const FEW = 5;
const SETTLE_ROUNDS = 3;
const SETTLE_MS = 50;

/** The heap of a kernel that lists so many idle processes, each with a message and an answer. */
export async function idle(_site: BenchSite): Promise<Row[]> {
  const [many, few] = [await seeded(MANY), await seeded(FEW)];
  const pairs = await paired(
    RUNS,
    () => heapOf(many),
    () => heapOf(few),
  );
  const described = { name: `heap of a kernel, ${MANY} idle processes`, peer: `the same with ${FEW}` };
  return [rowOf({ ...described, unit: 'kB', budget: null }, pairs)];
}

async function seeded(processes: number): Promise<MemoryDisk> {
  const kernel = new TestKernel();
  const page = await kernel.ready();
  for (let n = 0; n < processes; n += 1) {
    const spawned = await page.call('proc.spawn', { profile: 'task', label: `task ${n}` });
    if (!spawned.ok) throw new Error(spawned.error);
    await page.run('a word', spawned.pid);
  }
  await kernel.kernel.stop();
  return kernel.disk;
}

/** Kilobytes that a kernel on this disk adds to the heap, its list of processes open. */
async function heapOf(disk: MemoryDisk): Promise<number> {
  const kernel = new TestKernel();
  kernel.disk.copyFrom(disk);
  const before = await liveHeap();
  await kernel.boot();
  const page = await kernel.signedIn();
  await page.call('view.open', { view: 'processes' });
  const taken = (await liveHeap()) - before;
  await kernel.kernel.stop();
  return taken / 1024;
}

/** Bytes of what is still referred to: what is ready to end is let end, and collected, first. */
async function liveHeap(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  for (let round = 0; round < SETTLE_ROUNDS; round += 1) {
    await pause(SETTLE_MS);
    collect();
  }
  return process.memoryUsage().heapUsed;
}
