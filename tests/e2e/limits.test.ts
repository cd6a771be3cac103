import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withScreenshot } from '../support/browser.ts';
import { fail, text, tool } from '../support/model-replies.ts';
import { answered, say, toolResults, World } from '../support/world.ts';

const TURNS = 3;

let world: World;
let page: Page;

beforeAll(async () => {
  world = await World.start();
  ({ page } = await world.open());
  await withScreenshot(page, 'limits-set-up', () => world.setUp(page));
});
afterAll(() => world.stop());

const step = (name: string, run: () => Promise<void>): void => {
  test(name, () => withScreenshot(page, name, run));
};

step('[A78] a failed run says why, and Retry goes on from it', async () => {
  world.model.enqueue(fail(400, { body: { error: { message: 'this model is asleep' } } }));
  await say(page, 'wake up');
  const note = page.getByRole('log').locator('.note.error');
  await note.getByText('this model is asleep').waitFor();
  world.model.enqueue(text('Awake now.'));
  await note.getByRole('button', { name: 'Retry' }).click();
  await answered(page, 'Awake now.');
  const told = JSON.stringify(world.model.requests.at(-1)?.body.messages);
  expect(told.match(/wake up/g)).toHaveLength(1);
  await page.getByRole('button', { name: 'Retry' }).waitFor({ state: 'detached' });
});

step(
  '[A79] a model that repeats one identical call is told so the third time, and stopped in the end',
  async () => {
    const before = world.model.requests.length;
    world.model.respond(() => tool('Read', { target: 'gsv', path: '/home/ada' }));
    await say(page, 'look again and again');
    await page.getByText('Stopped: the model kept repeating one identical call.').waitFor();
    expect(world.model.requests).toHaveLength(before + 5);
    const results = toolResults(world.model).slice(-4);
    expect(results.slice(0, 2).join()).not.toContain('identical');
    expect(results[2]).toContain(
      'You have made this identical call 3 times in a row. It was not executed again',
    );
    expect(results[3]).toContain('4 times in a row');
  },
);

step('[U71] what is sent is seen, wherever its sender was reading', async () => {
  const log = page.getByRole('log');
  world.model.respond(() => text('A line.\n\n'.repeat(100)));
  await say(page, 'talk');
  await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
  await log.hover();
  await page.mouse.wheel(0, -2_000);
  await page.getByRole('button', { name: 'Jump to latest' }).waitFor();
  world.model.enqueue(text('Back at the end.'));
  await say(page, 'enough');
  await answered(page, 'Back at the end.');
});

step('[U72] a notice does not cover the button Send', async () => {
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByLabel('Model calls per run').fill(String(TURNS));
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The model settings are saved.').waitFor();
  await page.getByRole('link', { name: 'Chat' }).click();
  expect(await page.getByText('The model settings are saved.').isVisible()).toBe(true);
  expect(await isUncovered(page.getByRole('button', { name: 'Send' }))).toBe(true);
});

step('[A81] a run stops at the number of model calls that the settings allow, and says so', async () => {
  const before = world.model.requests.length;
  world.model.respond((_, index) => tool('Read', { target: 'gsv', path: `/home/ada/${index}` }));
  await say(page, 'go on for ever');
  await page.getByText(`Stopped after ${TURNS} model calls, the limit for one run.`).waitFor();
  await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
  expect(world.model.requests).toHaveLength(before + TURNS);
});

/** Whether a click in the middle of this would reach it. */
function isUncovered(locator: Locator): Promise<boolean> {
  return locator.evaluate((element) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return element.contains(document.elementFromPoint(x + width / 2, y + height / 2));
  });
}
