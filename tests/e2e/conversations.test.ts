import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withScreenshot } from '../support/browser.ts';
import { Gate } from '../support/gate.ts';
import { hold, text } from '../support/model-replies.ts';
import { answered, say, World } from '../support/world.ts';

let world: World;
let page: Page;

beforeAll(async () => {
  world = await World.start();
  ({ page } = await world.open());
  await withScreenshot(page, 'set-up', () => world.setUp(page));
});
afterAll(() => world.stop());

const step = (name: string, run: () => Promise<void>): void => {
  test(name, () => withScreenshot(page, name, run));
};
const shot = (name: string) => page.screenshot({ path: `/tmp/shots-conv/${name}.png` });
const menu = async (item: string): Promise<void> => {
  await page.getByRole('button', { name: 'More about this conversation' }).click();
  await page.getByRole('menuitem', { name: item }).click();
};
const dialog = () => page.getByRole('dialog', { name: 'Conversations of this process' });
const chat = () => page.getByRole('main');

step(
  '[U110] a process has several conversations: begun, renamed, chosen and closed from a list',
  async () => {
    world.model.enqueue(text('Hello Ada.'));
    await say(page, 'hello');
    await answered(page, 'Hello Ada.');
    await menu('Conversations and search');
    await shot('list');
    await dialog().getByRole('button', { name: 'New conversation' }).click();
    await page.waitForURL(/\/chat\/[^/]+\/[^/]+$/);
    await expect.poll(() => chat().getByText('Hello Ada.').count()).toBe(0);
    world.model.enqueue(text('Something else, then.'));
    await say(page, 'another matter');
    await answered(page, 'Something else, then.');
    await menu('Conversations and search');
    await dialog().getByRole('button', { name: 'Rename Untitled' }).click();
    await dialog().getByRole('textbox', { name: 'Title' }).fill('The other matter');
    await page.keyboard.press('Enter');
    await dialog().getByRole('link', { name: 'The other matter' }).waitFor();
    await shot('list-two');
    await dialog().getByRole('link', { name: 'First conversation' }).click();
    await chat().getByText('Hello Ada.').waitFor();
    await page.reload();
    await chat().getByText('Hello Ada.').waitFor();
  },
);

step(
  '[U111] while a run goes on its person says when a message is read, and the choice is kept',
  async () => {
    const gate = new Gate();
    world.model.enqueue(hold(gate, text('First.')), text('Second.'), text('Third.'));
    await say(page, 'take your time');
    const mode = page.getByRole('combobox', { name: 'When it is read' });
    await mode.waitFor();
    await mode.selectOption({ label: 'After this run' });
    await say(page, 'then this');
    await say(page, 'and last this');
    const queued = page.getByRole('list', { name: 'Queued' }).getByRole('listitem');
    await expect.poll(() => queued.count()).toBe(2);
    await shot('queue');
    await page.setViewportSize({ width: 390, height: 800 });
    await shot('queue-phone');
    await page.setViewportSize({ width: 1360, height: 860 });
    await queued.nth(1).getByRole('button', { name: 'Edit' }).focus();
    await page.keyboard.press('Alt+ArrowUp');
    await expect.poll(() => queued.nth(0).textContent()).toContain('and last this');
    const own = queued.nth(1).getByRole('combobox', { name: 'When this one is read' });
    expect(await own.inputValue()).toBe('queue');
    await own.selectOption({ label: 'At its next step' });
    await own.selectOption({ label: 'After this run' });
    await queued.nth(0).getByRole('button', { name: 'Edit' }).click();
    await queued.nth(0).getByRole('textbox').press('End');
    await queued.nth(0).getByRole('textbox').press('Shift+Enter');
    await queued.nth(0).getByRole('textbox').pressSequentially('too');
    await queued.nth(0).getByRole('textbox').press('Enter');
    await queued.nth(0).getByText('and last this too').waitFor();
    gate.open();
    await answered(page, 'Third.');
    const texts = await chat().getByRole('article', { name: 'You' }).allTextContents();
    expect(texts.slice(-2).map((said) => said.trim())).toEqual(['and last this\ntoo', 'then this']);
    await page.reload();
    const again = new Gate();
    world.model.enqueue(hold(again, text('Never said.')), text('At once.'));
    const before = world.model.requests.length;
    await say(page, 'slowly');
    await expect.poll(() => world.model.requests.length).toBe(before + 1);
    expect(await mode.inputValue()).toBe('queue');
    await mode.selectOption({ label: 'Stop the run first' });
    await say(page, 'now');
    await answered(page, 'At once.');
    again.open();
    await chat().getByText('Stopped by the user.').first().waitFor();
  },
);

step('[U112] a message is asked differently in a conversation that begins before it', async () => {
  const message = chat().getByRole('article', { name: 'You' }).filter({ hasText: 'then this' });
  await message.hover();
  await message.getByRole('button', { name: 'Ask differently from here' }).click();
  await page.waitForURL(/\/chat\/[^/]+\/[^/]+$/);
  const box = page.getByRole('textbox', { name: 'Message', exact: true });
  await expect.poll(() => box.inputValue()).toBe('then this');
  await chat().getByText('and last this').waitFor();
  await shot('forked');
  world.model.enqueue(text('Another answer.'));
  await box.fill('then something else');
  await box.press('Enter');
  await answered(page, 'Another answer.');
});

step('[U113] a conversation is archived and begins anew', async () => {
  await menu('Archive and start anew');
  await page.getByRole('dialog').getByRole('button', { name: 'Archive and start anew' }).click();
  await expect.poll(() => chat().getByText('Another answer.').count()).toBe(0);
  await page.setViewportSize({ width: 390, height: 800 });
  await menu('Conversations and search');
  await shot('list-phone');
});

step('[U114] messages are searched from the list, those of the archive too', async () => {
  await dialog().getByRole('searchbox', { name: 'Search all messages' }).fill('something else');
  await page.keyboard.press('Enter');
  await dialog().getByText('in the archive').first().waitFor();
  await shot('search-phone');
  await page.setViewportSize({ width: 1360, height: 860 });
  await shot('search');
});
