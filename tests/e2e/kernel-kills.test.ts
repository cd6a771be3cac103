import { execFileSync } from 'node:child_process';
import type { CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withScreenshot } from '../support/browser.ts';
import { text, tool } from '../support/model-replies.ts';
import { answered, say, World } from '../support/world.ts';

const KILLS = 50;

let world: World;
let page: Page;
let browser: CDPSession;
let workspace: string;

beforeAll(async () => {
  world = await World.start();
  ({ page } = await world.open());
  await withScreenshot(page, 'kernel-kills-set-up', async () => {
    await world.setUp(page);
    ({ workspace } = await world.addDevice(page));
  });
  browser = await world.browser.newBrowserCDPSession();
});
afterAll(() => world.stop());

/** Ends the SharedWorker that hosts the kernel, as a crash does. */
async function killKernel(): Promise<void> {
  const { targetInfos } = await browser.send('Target.getTargets');
  const worker = targetInfos.find(({ type }) => type === 'shared_worker');
  if (worker) await browser.send('Target.closeTarget', { targetId: worker.targetId });
}

/** A small generator, so that a failure can be run again: the seed is in the test's name. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const commit = (message: string): ReturnType<typeof tool> =>
  tool('Shell', { target: 'box', input: `git commit --quiet --allow-empty -m '${message}'` });

/** From here on a commit is made without asking. */
async function rememberCommits(): Promise<void> {
  world.model.enqueue(commit('first'), text('Committed.'));
  await say(page, 'commit once');
  await page.getByRole('button', { name: /^Remember/ }).click();
  await answered(page, 'Committed.');
}

test(`[A80] ${KILLS} kills of the kernel at random points of a run lose and repeat nothing (seed 7)`, async () => {
  const random = seeded(7);
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', workspace, ...args], { encoding: 'utf8' });
  git('init', '--quiet');
  git('config', 'user.name', 'Ada');
  git('config', 'user.email', 'ada@example.org');
  const commits = (): string[] => git('log', '--reverse', '--format=%s').trim().split('\n').slice(1);
  await withScreenshot(page, 'kernel-kills', async () => {
    await rememberCommits();
    world.model.respond(({ body }) => {
      const last = body.messages.at(-1);
      if (last?.role === 'tool') return text('finished');
      const run = /run (\d+)/.exec(JSON.stringify(last?.content))?.[1] ?? '?';
      return commit(`made ${run}`);
    });
    for (let run = 0; run < KILLS; run += 1) {
      await say(page, `run ${run}`);
      await page.getByRole('log').getByText(`run ${run}`, { exact: true }).last().waitFor();
      await new Promise((resolve) => setTimeout(resolve, Math.floor(random() * 150)));
      await killKernel();
      await expect.poll(() => commits().includes(`made ${run}`), { timeout: 20_000 }).toBe(true);
      await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
    }
  });
  expect(commits()).toEqual(Array.from({ length: KILLS }, (_, run) => `made ${run}`));
  const asked = world.model.requests.at(-1)?.body.messages.filter(({ role }) => role === 'user') ?? [];
  const messages = asked
    .map(({ content }) => JSON.stringify(content))
    .filter((content) => content.includes('run '));
  expect(messages).toHaveLength(KILLS);
}, 240_000);
