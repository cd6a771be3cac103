import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
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

/** The user lets everything through, by the file that stands for the setting. */
async function allowAll(): Promise<void> {
  const policy = '/sys/config/users/1000/ai/tools/approval';
  const input = `echo '{"default":"auto","rules":[]}' > ${policy}`;
  world.model.enqueue(tool('Shell', { target: 'gsv', input }), text('No more questions.'));
  await say(page, 'stop asking me');
  await page.getByRole('button', { name: 'Approve' }).click();
  await answered(page, 'No more questions.');
}

test(`[A80] ${KILLS} kills of the kernel at random points of a run lose and repeat nothing (seed 7)`, async () => {
  const random = seeded(7);
  const log = join(workspace, 'ran.log');
  const lines = (): string[] => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []);
  await withScreenshot(page, 'kernel-kills', async () => {
    await allowAll();
    world.model.respond(({ body }) => {
      const last = body.messages.at(-1);
      if (last?.role === 'tool') return text('finished');
      const run = /run (\d+)/.exec(JSON.stringify(last?.content))?.[1] ?? '?';
      return tool('Shell', { target: 'box', input: `echo ${run} >> ran.log` });
    });
    for (let run = 0; run < KILLS; run += 1) {
      await say(page, `run ${run}`);
      await page.getByRole('log').getByText(`run ${run}`, { exact: true }).last().waitFor();
      await new Promise((resolve) => setTimeout(resolve, Math.floor(random() * 150)));
      await killKernel();
      await expect.poll(() => lines().includes(String(run)), { timeout: 20_000 }).toBe(true);
      await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
    }
  });
  expect(lines()).toEqual(Array.from({ length: KILLS }, (_, run) => String(run)));
  const asked = world.model.requests.at(-1)?.body.messages.filter(({ role }) => role === 'user') ?? [];
  const messages = asked.map(({ content }) => JSON.stringify(content)).filter((content) => content.includes('run '));
  expect(messages).toHaveLength(KILLS);
}, 240_000);
