import { expect, test } from 'vitest';
import { TestKernel } from '../support/kernel.ts';
import { ManualClock } from '../support/manual-clock.ts';

const HOUR_MS = 60 * 60_000;

/** A clock that counts how often it woke somebody. */
class CountingClock extends ManualClock {
  woken = 0;

  override after(ms: number, run: () => void): () => void {
    return super.after(ms, () => {
      this.woken += 1;
      run();
    });
  }
}

/** How often a kernel with so many idle processes wakes up in an hour, from a minute after its start on. */
async function wakeUps(processes: number): Promise<number> {
  const first = new TestKernel();
  const page = await first.ready();
  for (let n = 0; n < processes; n += 1)
    await page.call('proc.spawn', { profile: 'task', label: `task ${n}` });
  await page.run('one of them has said something');
  first.kill();
  const clock = new CountingClock();
  const kernel = new TestKernel(undefined, { clock });
  kernel.disk.copyFrom(first.disk);
  await kernel.boot();
  await clock.advance(60_000);
  clock.woken = 0;
  await clock.advance(HOUR_MS);
  await kernel.kernel.stop();
  return clock.woken;
}

test('[P356] five hundred idle processes wake nobody up, and use no model', async () => {
  const few = await wakeUps(1);
  expect(await wakeUps(500)).toBe(few);
  expect(few).toBeLessThan(HOUR_MS / 60_000);
});
