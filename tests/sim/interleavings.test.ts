import { expect, test } from 'vitest';
import { Interleaving } from '../support/interleaving.ts';
import { TestKernel } from '../support/kernel.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { numbers } from '../support/numbers.ts';

const SEEDS = 1_000;
/** Each is a test, for all take minutes where others work, too. */
const PARTS = 4;
const STEPS = 14;
/** Seeds that one kernel goes through, each in a process of its own. */
const OF_ONE_KERNEL = 25;
const BEGIN = Date.UTC(2026, 0, 1, 8);

/** What failed of the seeds from `from` on, in words. */
async function failures(from: number): Promise<string[]> {
  const clock = new ManualClock();
  clock.jump(BEGIN);
  const kernel = new TestKernel(undefined, { clock });
  let page = await kernel.ready();
  for (let seed = from; seed < from + OF_ONE_KERNEL; seed += 1) {
    const world = new Interleaving({
      kernel,
      page,
      clock,
      pick: numbers(seed),
      pickForModel: numbers(-seed),
    });
    const problems = await world.run(STEPS).then(
      () => world.problems(),
      (error: Error) => [error.message],
    );
    if (problems.length > 0) return [[`seed ${seed}`, ...problems, ...world.log].join('\n')];
    await world.end();
    page = world.page;
  }
  kernel.kill();
  return [];
}

test.each([0, 1, 2, 3])(
  `[P404] whatever is done to a process in random orders, each message stays, once, every call is answered, and models get what providers take (%i of ${PARTS})`,
  async (part) => {
    const found: string[] = [];
    const first = 1 + (part * SEEDS) / PARTS;
    for (let from = first; from < first + SEEDS / PARTS; from += OF_ONE_KERNEL)
      found.push(...(await failures(from)));
    expect(found.join('\n\n')).toBe('');
  },
);
