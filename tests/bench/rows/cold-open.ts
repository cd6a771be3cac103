import type { Page } from 'playwright-core';
import { auditPage } from '../../support/lighthouse.ts';
import { kept, Profile } from '../../support/profile.ts';
import { World } from '../../support/world.ts';
import { paired, type Row, rowOf } from '../row.ts';

const RUNS = 7;
const BUDGET = 1.25;
/** Lighthouse's own goal, and that of this page. */
const LEAST_SCORE = 95;

/** Opening in a browser that was just started, without server and network, against the same with both; and what Lighthouse says. */
export async function coldOpen(): Promise<Row[]> {
  const world = await World.start();
  const profile = new Profile();
  try {
    const performance = await lighthouseScore(world);
    await open(profile, world.server.claimLink ?? '', false, async (page) => {
      await world.setUp(page);
      await kept(page);
    });
    const measure = (offline: boolean) => async (): Promise<number> => {
      if (offline) await world.serverNow.kill();
      const ms = await timeToComposer(profile, world.server.url, offline);
      if (offline) await world.restartServer();
      return ms;
    };
    const pairs = await paired(RUNS, measure(true), measure(false));
    const described = {
      name: 'cold open without network, to a usable message box',
      peer: 'the same with server and network',
    };
    return [rowOf({ ...described, unit: 'ms', budget: BUDGET }, pairs), performance];
  } finally {
    await profile.remove();
    await world.stop();
  }
}

async function open(
  profile: Profile,
  url: string,
  offline: boolean,
  steps: (page: Page) => Promise<void>,
): Promise<void> {
  const context = await profile.launch({ offline });
  const page = context.pages()[0] ?? (await context.newPage());
  await page.goto(url);
  await steps(page);
  await profile.close();
}

async function timeToComposer(profile: Profile, url: string, offline: boolean): Promise<number> {
  const context = await profile.launch({ offline });
  const page = context.pages()[0] ?? (await context.newPage());
  const started = performance.now();
  await page.goto(url);
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
  const ms = performance.now() - started;
  await profile.close();
  return ms;
}

/** As a ratio at most 1: the goal over the score. */
async function lighthouseScore(world: World): Promise<Row> {
  const scores = await auditPage(world.server.url, ['performance']);
  const ours = scores.performance?.score ?? 0;
  const described = {
    name: 'Lighthouse, performance on a phone',
    peer: `our score (${ours}) against the goal`,
  };
  return rowOf({ ...described, unit: 'points', budget: 1 }, [{ ours: LEAST_SCORE, theirs: ours }]);
}
