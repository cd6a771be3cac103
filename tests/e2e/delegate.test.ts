import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withScreenshot } from '../support/browser.ts';
import { Gate } from '../support/gate.ts';
import { DESKTOP, looksWell } from '../support/look.ts';
import { hold, text, tool } from '../support/model-replies.ts';
import type { Recorded } from '../support/model-server.ts';
import { answered, say, World } from '../support/world.ts';

let world: World;
let page: Page;

beforeAll(async () => {
  world = await World.start();
  ({ page } = await world.open(undefined, DESKTOP, { bypassCSP: true, reducedMotion: 'reduce' }));
  await withScreenshot(page, 'delegate-set-up', () => world.setUp(page));
});
afterAll(() => world.stop());

const step = (name: string, run: () => Promise<void>): void => {
  test(name, () => withScreenshot(page, name, run));
};

const said = ({ body }: Recorded): string => JSON.stringify(body.messages.at(-1)?.content ?? '');
const row = (name: string) =>
  page.getByRole('treeitem').filter({ has: page.getByRole('link', { name, exact: true }) });

step(
  '[U134] a person’s process delegates; the child stands in the tree while it works, and its result is one line that opens',
  async () => {
    const gate = new Gate();
    world.model.respond((request) => {
      const last = said(request);
      if (last.includes('please split it')) {
        const input =
          'proc delegate --label "Count the boats" count the boats; proc delegate --label "Count the cars" count the cars';
        return tool('Shell', { target: 'gsv', input });
      }
      if (last.includes('delegate.result')) return text('I have heard.');
      if (last.includes('count the boats'))
        return hold(gate, text('There are 3 boats.\n\nAll of them are blue.'));
      if (last.includes('count the cars')) return hold(gate, text('There are 12 cars.'));
      return text('Two children are at work.');
    });
    await say(page, 'please split it');
    await page
      .getByRole('button', { name: /^Approve/ })
      .first()
      .click();
    await answered(page, 'Two children are at work.');

    await page.getByRole('link', { name: 'Processes' }).click();
    await row('Count the boats')
      .getByText(/^running/)
      .waitFor();
    await row('Count the cars')
      .getByText(/^until /)
      .waitFor();
    expect(await row('Count the boats').getAttribute('aria-level')).toBe('2');
    const home = page.getByRole('treeitem').first();
    await home.getByText(/waits for “Count the boats”, “Count the cars”/).waitFor();
    await home.getByText('2 children, 2 at work').waitFor();
    await looksWell(page, 'tree-working');

    gate.open();
    await row('Count the boats').getByText('done').waitFor();
    await row('Count the cars').getByText('done').waitFor();
    await looksWell(page, 'tree-done');
    await page.getByRole('link', { name: 'Chat' }).click();
    await answered(page, 'I have heard.');
    const event = page.getByRole('log').locator('details.event-entry', { hasText: 'Count the boats' });
    await event.locator('summary').click();
    await event.getByText('All of them are blue.').waitFor();
    await looksWell(page, 'event-open');
  },
);

step('[U132] the tree is used by keyboard alone', async () => {
  await page.getByRole('link', { name: 'Processes' }).click();
  const home = page.getByRole('treeitem').first();
  await home.waitFor();
  await home.focus();
  const focused = (): Promise<string | null> =>
    page.evaluate(() => document.activeElement?.querySelector('a')?.textContent ?? null);
  await page.keyboard.press('ArrowDown');
  expect(await focused()).toBe('Count the boats');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  expect(await home.getAttribute('aria-expanded')).toBe('false');
  expect(await page.getByRole('treeitem').count()).toBe(1);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('End');
  expect(await focused()).toBe('Count the cars');
  await page.keyboard.press('Delete');
  await page.getByRole('button', { name: 'End process' }).click();
  await row('Count the cars').waitFor({ state: 'detached' });
  await row('Count the boats').focus();
  await page.keyboard.press('Enter');
  await page
    .getByRole('log')
    .getByText(/There are 3 boats/)
    .waitFor();
});

step('[U133] a child that goes on is stopped from the tree, and who waits is told', async () => {
  const gate = new Gate();
  world.model.respond((request) => {
    const last = said(request);
    if (last.includes('once more')) {
      const input = 'proc delegate --label "Dig" dig a hole';
      return tool('Shell', { target: 'gsv', input });
    }
    if (last.includes('delegate.result')) return text('It was stopped.');
    if (last.includes('dig a hole')) return hold(gate, text('Dug.'));
    return text('A child digs.');
  });
  await page.getByRole('link', { name: 'Chat' }).click();
  await say(page, 'once more');
  await page
    .getByRole('button', { name: /^Approve/ })
    .first()
    .click();
  await answered(page, 'A child digs.');
  await page.getByRole('link', { name: 'Processes' }).click();
  const child = row('Dig');
  await child.getByText(/^running/).waitFor();
  await child.focus();
  await page.keyboard.press('s');
  await child.getByText('stopped', { exact: true }).waitFor();
  await child
    .first()
    .waitFor({ state: 'attached' })
    .catch(() => {});
  await page.getByRole('link', { name: 'Chat' }).click();
  await answered(page, 'It was stopped.');
  gate.open();
});
