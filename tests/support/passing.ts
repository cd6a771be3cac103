import type { ManualClock } from './manual-clock.ts';
import { turns } from './turns.ts';

const MOST_STEPS = 2_000;
/** What somebody waits for is a matter of moments first; after so many steps it is one of minutes. */
const FEW_STEPS = 500;
/** Messages that go to and fro take steps, not time. */
const STEPS_AT_ONCE = 10;
const TURNS = 5;

/** Lets everything go on, in steps of a little time, until it is so. */
export async function settle(
  clock: ManualClock,
  done: () => boolean | Promise<boolean>,
  what = 'it',
): Promise<void> {
  for (let step = 1; !(await done()); step += 1) {
    if (step > MOST_STEPS) throw new Error(`${what} did not happen`);
    await turns(TURNS);
    if (step % STEPS_AT_ONCE === 0) await clock.advance(step <= FEW_STEPS ? 50 : 1_000);
  }
}

/** What happens while time passes. */
export async function passing<T>(clock: ManualClock, going: Promise<T>): Promise<T> {
  let over = false;
  const end = (): void => {
    over = true;
  };
  going.then(end, end);
  await settle(clock, () => over, 'what was waited for');
  return going;
}
