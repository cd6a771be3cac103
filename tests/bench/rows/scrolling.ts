import type { Page } from 'playwright-core';
import { type Pair, paired, type Row, rowOf } from '../row.ts';
import { type Seeded, seededConversation } from '../seeded.ts';
import type { BenchSite } from '../site.ts';

const RUNS = 11;
const WARM_UPS = 1;
const LONG = 10_000;
const SHORT = 100;
/** Flung: all passes together go through most of the long conversation. */
const TURNS = 40;
const TURN_PX = 3_000;
/** The short conversation has room for as many in one direction. */
const TURNS_IN_SHORT = 4;
const BETWEEN_TURNS_MS = 20;
const LONG_FRAME_MS = 50;

type Pass = { frames: number; longFrames: number; worst: number };

/**
 * The page itself on the real kernel, scrolled by wheel. In the long conversation each pass goes on upwards from the
 * one before, so that older messages are fetched all along; the short one is gone through up and down.
 */
export async function scrolling(site: BenchSite): Promise<Row[]> {
  const [long, short] = await Promise.all([seededConversation(site, LONG), seededConversation(site, SHORT)]);
  try {
    const [upwards, around] = [await opened(long), await opened(short)];
    const passes: Pass[] = [];
    const worst = await paired(
      RUNS,
      async () => {
        const pass = await scrolled(upwards, () => -TURN_PX);
        passes.push(pass);
        return pass.worst;
      },
      async () => (await scrolled(around, upAndDown)).worst,
      WARM_UPS,
    );
    return [worstFrame(worst), longFrames(passes.slice(WARM_UPS))];
  } finally {
    await Promise.all([long.profile.stop(), short.profile.stop()]);
  }
}

function worstFrame(pairs: Pair[]): Row {
  const name = `worst frame, scrolling ${LONG} messages`;
  return rowOf({ name, peer: `the same with ${SHORT} messages`, unit: 'ms', budget: 1.5 }, pairs);
}

/** Against all frames of the same passes, so that the ratio is their share; none is allowed. */
function longFrames(passes: Pass[]): Row {
  const pairs = passes.map(({ longFrames: ours, frames: theirs }) => ({ ours, theirs }));
  const name = `frames over ${LONG_FRAME_MS} ms, scrolling ${LONG} messages`;
  return rowOf({ name, peer: 'all frames of the same pass', unit: 'frames', budget: 0 }, pairs);
}

/** The conversation in a tab, at its end, with the pointer over it. */
async function opened({ profile, pid }: Seeded): Promise<Page> {
  const page = await profile.visit(`/chat/${encodeURIComponent(pid)}`);
  const log = page.getByRole('log');
  await log.locator('.entry').last().waitFor();
  await log.hover();
  return page;
}

function upAndDown(turn: number): number {
  return Math.floor(turn / TURNS_IN_SHORT) % 2 === 0 ? -TURN_PX : TURN_PX;
}

async function scrolled(page: Page, pixels: (turn: number) => number): Promise<Pass> {
  await page.bringToFront();
  await page.evaluate(startFrames);
  for (let turn = 0; turn < TURNS; turn += 1) {
    await page.mouse.wheel(0, pixels(turn));
    await page.waitForTimeout(BETWEEN_TURNS_MS);
  }
  const { frames, moved } = await page.evaluate(stopFrames);
  if (moved < TURNS / 2) throw new Error(`The conversation moved in ${moved} frames only`);
  const longFrames = frames.filter((ms) => ms > LONG_FRAME_MS).length;
  return { frames: frames.length, longFrames, worst: Math.max(...frames) };
}

/** The lengths of frames in milliseconds, and in how many of them the log stood elsewhere than before. */
type Recording = { frames: number[]; moved: number; handle: number };

/** Inside of the page: notes every frame from now on. */
function startFrames(): void {
  const recording: Recording = { frames: [], moved: 0, handle: 0 };
  const log = document.querySelector('[role=log]');
  let last = performance.now();
  let top = log?.scrollTop;
  const note = (): void => {
    const now = performance.now();
    recording.frames.push(now - last);
    if (log?.scrollTop !== top) recording.moved += 1;
    top = log?.scrollTop;
    last = now;
    recording.handle = requestAnimationFrame(note);
  };
  recording.handle = requestAnimationFrame(note);
  Object.assign(globalThis, { recording });
}

function stopFrames(): Recording {
  const { recording } = globalThis as unknown as { recording: Recording };
  cancelAnimationFrame(recording.handle);
  return recording;
}
