import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OpenPage, openPage, withScreenshot } from '../support/browser.ts';
import { useTinyModel } from '../support/local-model-page.ts';
import { say, World } from '../support/world.ts';

/** What a random model writes about does not matter; with one word that it likes it may read what it wrote. */
const FILE = 'note.txt';
const NOTES = { leanings: { [FILE]: 3, '"': 2.85, t: 2.2, W: 2.2, R: 2.2 }, seed: 7 };
/** Larger, and it never ends what it says, so that a sentence takes a while. */
const SLOW = { layers: 3, width: 128, leanings: { '"': -200, s: 3 } };
const RUN_MS = 120_000;

const MOST_RUNS = 20;

async function startAnew(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'More about this conversation' }).click();
  await page.getByRole('menuitem', { name: 'Archive and start anew' }).click();
  await page.getByRole('button', { name: 'Archive and start anew', exact: true }).click();
  await page.getByRole('log').getByText('go on', { exact: true }).waitFor({ state: 'detached' });
}

/** Whether it is this page that has lent the worker of the models: its lock is this client's. */
const lends = (page: Page): Promise<boolean> =>
  page.evaluate(() =>
    navigator.locks.request('who-am-i', async () => {
      const { held = [] } = await navigator.locks.query();
      const holder = (name: string) => held.find((lock) => lock.name === name)?.clientId;
      return (
        holder('gsv-lending-worker') !== undefined && holder('gsv-lending-worker') === holder('who-am-i')
      );
    }),
  );

const speaking = (page: Page) => page.getByRole('log').locator('article[aria-busy=true]');

let world: World;
let open: OpenPage;
beforeAll(async () => {
  world = await World.start();
  open = await world.open();
  await withScreenshot(open.page, 'local-random-set-up', () => world.setUp(open.page));
});
afterAll(() => world.stop());

test('[A142] a model that writes bytes which are no characters ends the run with a sentence, and the engine goes on', async () => {
  const { page } = open;
  await withScreenshot(page, 'local-garbled', async () => {
    await useTinyModel(world, page, { garbles: true }, 'garbled');
    await say(page, 'go on');
    const note = page.getByRole('log').locator('.note.error');
    await note.getByText('The model wrote something that is no text.').waitFor({ timeout: RUN_MS });
    await note.getByRole('button', { name: 'Retry' }).waitFor();
  });
});

test('[A106] the tab that runs the model is closed in the middle of a sentence, and the run goes on in another', async () => {
  const { context } = open;
  const { page } = await openPage(world.browser, world.server.url, { context });
  await withScreenshot(page, 'local-tabs', async () => {
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    await useTinyModel(world, open.page, SLOW, 'slow');
    await say(page, 'and now here');
    await expect
      .poll(async () => (await lends(open.page)) || (await lends(page)), { timeout: RUN_MS })
      .toBe(true);
    const lender = (await lends(page)) ? page : open.page;
    const other = lender === page ? open.page : page;
    await speaking(other).waitFor({ timeout: RUN_MS });
    open = { ...open, page: other };
    await lender.close();
    await expect.poll(() => lends(other), { timeout: RUN_MS }).toBe(true);
    await speaking(other).waitFor({ timeout: RUN_MS });
  });
});

test('[A143] with the server killed a model of random weights, held to the grammar of its tools, calls Write and then Read of what it wrote', async () => {
  const { page } = open;
  await withScreenshot(page, 'local-random', async () => {
    await page.getByRole('button', { name: 'Stop' }).click();
    await useTinyModel(world, page, NOTES, 'random');
    await world.server.kill();
    await open.context.setOffline(true);
    const log = page.getByRole('log');
    const stop = page.getByRole('button', { name: 'Stop' });
    const count = (text: string) => log.getByText(text, { exact: true }).count();
    let wrote = false;
    let read = false;
    const look = async (): Promise<boolean> => {
      wrote ||= (await count(`Write ${FILE}`)) > 0;
      read ||= (await count(`Read ${FILE}`)) > (await count(`no such file or directory: ${FILE}`));
      return wrote && read;
    };
    // It draws its words by lot: a run may end before, by its window or because it prefers to talk.
    for (let run = 0; run < MOST_RUNS && !(await look()); run += 1) {
      if (run > 0) await startAnew(page);
      await say(page, 'go on');
      await stop.waitFor();
      await expect
        .poll(async () => (await look()) || (await stop.isHidden()), { timeout: RUN_MS })
        .toBe(true);
    }
    expect([wrote, read]).toEqual([true, true]);
  });
});
