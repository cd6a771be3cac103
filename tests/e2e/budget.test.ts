import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withScreenshot } from '../support/browser.ts';
import { DESKTOP, looksWell } from '../support/look.ts';
import { text, tool } from '../support/model-replies.ts';
import { answered, say, World } from '../support/world.ts';

let world: World;
let page: Page;

beforeAll(async () => {
  world = await World.start();
  ({ page } = await world.open(undefined, DESKTOP, { bypassCSP: true, reducedMotion: 'reduce' }));
  await withScreenshot(page, 'budget-set-up', () => world.setUp(page));
});
afterAll(() => world.stop());

const step = (name: string, run: () => Promise<void>): void => {
  test(name, () => withScreenshot(page, name, run));
};

async function settings(): Promise<void> {
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Usage' }).click();
  await page.getByRole('heading', { name: 'Budgets' }).waitFor();
}

step(
  '[U230] a budget is set in the settings, stops a run, and the person continues it by an amount',
  async () => {
    await settings();
    await page.getByText('Nothing was used yet.').waitFor();
    const day = page.getByRole('group', { name: 'For a day' });
    await day.getByLabel('Tokens').fill('1');
    await page.getByRole('button', { name: 'Save the budgets' }).click();
    await page.getByText('The budgets are saved.').first().waitFor();

    await page.getByRole('link', { name: 'Chat' }).click();
    world.model.respond((_request, index) =>
      index < 2 ? tool('Read', { target: 'gsv', path: `/home/${index}` }) : text('Done at last.'),
    );
    await say(page, 'work on it');
    const note = page.getByRole('log').locator('.note.limit');
    await note.getByText('the budget of the day, 1 token, is used up').waitFor();
    expect(world.model.requests).toHaveLength(1);
    await looksWell(page, 'budget-reached');

    const amount = note.getByLabel('How many more tokens this run may use');
    expect(await amount.inputValue()).toBe('1000');
    await amount.fill('nothing');
    expect(await note.getByRole('button', { name: 'Continue' }).isDisabled()).toBe(true);
    await amount.fill('100000');
    await note.getByRole('button', { name: 'Continue' }).click();
    await answered(page, 'Done at last.');
    await note.getByRole('button', { name: 'Continue' }).waitFor({ state: 'detached' });
  },
);

step(
  '[U231] what was used stands in the settings by day, process and model, as bars and as tables',
  async () => {
    await settings();
    await page.getByRole('table', { name: 'By process' }).getByRole('row', { name: /Home/ }).waitFor();
    await page
      .getByRole('table', { name: 'By model' })
      .getByRole('row', { name: /scripted-model/ })
      .waitFor();
    await page.getByRole('table', { name: 'By day' }).getByRole('row').nth(1).waitFor();
    await page
      .getByText(/tokens of 1 tokens used today/)
      .first()
      .waitFor();
    await looksWell(page, 'usage');
  },
);
