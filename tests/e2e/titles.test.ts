import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ASK_TITLE } from '../../shared/kernel/agent/title.ts';
import { withScreenshot } from '../support/browser.ts';
import { text } from '../support/model-replies.ts';
import { runAxe } from '../support/ui-fixture/in-page.ts';
import { answered, say, World } from '../support/world.ts';

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

const WIDE = { width: 1360, height: 860 };
let world: World;
let page: Page;

beforeAll(async () => {
  world = await World.start({ model: { titles: true } });
  world.model.respond(({ body }) =>
    body.messages[0]?.content === ASK_TITLE ? text('Clothes for the rain') : text('Take an umbrella.'),
  );
  // axe brings its own script, which the page's policy would refuse.
  ({ page } = await world.open(undefined, WIDE, { bypassCSP: true }));
  await withScreenshot(page, 'set-up', () => world.setUp(page));
});
afterAll(() => world.stop());

const shot = (name: string) => page.screenshot({ path: `/tmp/shots-conv/${name}.png` });
const rail = () => page.getByRole('navigation', { name: 'Conversations' });

async function begin(): Promise<void> {
  await page.getByRole('button', { name: 'New conversation' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Start' }).click();
  await page.waitForURL(/\/chat\//);
}

test('[P406] a conversation is named in the list after its first answer', () =>
  withScreenshot(page, 'titles', async () => {
    await begin();
    await say(page, 'what shall I wear tomorrow?');
    await answered(page, 'Take an umbrella.');
    await rail().getByText('Clothes for the rain').waitFor();
    await shot('titled');
  }));

test('[P408] the settings switch it off, and keep it so', () =>
  withScreenshot(page, 'titles-off', async () => {
    await page.goto(`${world.server.url}/settings/account`);
    const wanted = page.getByRole('checkbox', { name: /names a conversation/ });
    await wanted.uncheck();
    await shot('settings');
    await page.addScriptTag({ path: axe });
    expect(await page.evaluate(runAxe)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 800 });
    await wanted.scrollIntoViewIfNeeded();
    await shot('settings-narrow');
    await page.setViewportSize(WIDE);
    await page.reload();
    await expect.poll(() => wanted.isChecked()).toBe(false);
  }));
