import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withScreenshot } from '../support/browser.ts';
import { DESKTOP, looksWell } from '../support/look.ts';
import { text } from '../support/model-replies.ts';
import { answered, say, World } from '../support/world.ts';

let world: World;
let page: Page;

beforeAll(async () => {
  world = await World.start();
  ({ page } = await world.open(undefined, DESKTOP, { bypassCSP: true, reducedMotion: 'reduce' }));
  await withScreenshot(page, 'set-up', () => world.setUp(page));
});
afterAll(() => world.stop());

const step = (name: string, run: () => Promise<void>): void => {
  test(name, { timeout: 60_000 }, () => withScreenshot(page, name, run));
};

const dialog = (name: string) => page.getByRole('dialog', { name });
const log = () => page.getByRole('log');
async function menu(item: string): Promise<void> {
  await page.getByRole('button', { name: 'More about this conversation' }).click();
  await page.getByRole('menuitem', { name: item }).click();
}
async function told(message: string, answer: string, input = 100): Promise<void> {
  world.model.enqueue(text(answer, { usage: { input, output: 10 } }));
  await say(page, message);
  await answered(page, answer);
}

step('[U260] the archive says what to do while there is nothing in it', async () => {
  await told('the plumber is called Ines', 'I shall remember that.');
  await told('the red one', 'The red one.');
  await told('no, the blue one', 'The blue one.');
  await menu('Archive of this conversation');
  await dialog('Archive').getByText('Nothing is archived yet.').waitFor();
  await looksWell(page, 'archive-empty');
  await page.keyboard.press('Escape');
});

step('[U261] a conversation is compacted behind a summary in its person’s own words', async () => {
  await menu('Compact');
  const compact = dialog('Compact this conversation');
  await compact.getByRole('radio', { name: 'In my words' }).check();
  await compact.getByRole('button', { name: 'Compact', exact: true }).click();
  await compact.getByText('Write what is to be remembered').waitFor();
  await compact.getByLabel('What is to be remembered').fill('It is to be the blue one.');
  await compact.getByLabel('Newest messages').fill('900');
  await compact.getByText('Write a number below 6').waitFor();
  await compact.getByLabel('Newest messages').fill('2');
  await looksWell(page, 'compact');
  await compact.getByRole('button', { name: 'Compact', exact: true }).click();
  const summary = log().getByRole('article', { name: 'Summary' });
  await summary.getByText('It is to be the blue one.').waitFor();
  expect(await log().getByText('Ines').count()).toBe(0);
  const before = world.model.requests.length;
  await told('which one?', 'Blue.');
  expect(world.model.requests).toHaveLength(before + 1);
  expect(JSON.stringify(world.model.requests.at(-1))).toContain('It is to be the blue one.');
});

step(
  '[U262] what was archived is listed, read, and taken up again in a conversation of its own',
  async () => {
    await menu('Archive of this conversation');
    const archive = dialog('Archive of this conversation');
    await archive.getByText('4 messages').waitFor();
    await looksWell(page, 'archive-list');
    await archive.getByRole('button', { name: 'Read what was archived' }).click();
    const messages = archive.getByRole('list', { name: 'Archived messages' });
    await messages.getByText('the plumber is called Ines').waitFor();
    await messages.getByText('The red one.').waitFor();
    await looksWell(page, 'archive-read');
    await archive.getByRole('button', { name: 'All archived parts' }).click();
    await archive.getByRole('button', { name: 'Take up again' }).click();
    await page.waitForURL(/\/chat\/[^/]+\/[^/]+$/);
    await log().getByText('the plumber is called Ines').waitFor();
    await told('call her', 'I call Ines.');
    expect(JSON.stringify(world.model.requests.at(-1))).toContain('the plumber is called Ines');
  },
);

step('[U267] in place of archived messages stands their summary, with a way to read them', async () => {
  await page.getByRole('link', { name: 'Chat' }).click();
  await page.goto(`${world.server.url}/chat/init:1000`);
  const summary = log().getByRole('article', { name: 'Summary' });
  await summary.getByText('4 messages are in the archive.').waitFor();
  expect(await summary.getByText('/var/sessions').count()).toBe(0);
  await summary.getByRole('button', { name: 'Read them' }).click();
  await dialog('Archive of this conversation').getByText('the plumber is called Ines').waitFor();
  await page.keyboard.press('Escape');
  await looksWell(page, 'summary');
});

step('[U263] a match in the archive opens there, at its message', async () => {
  await menu('Conversations and search');
  const list = dialog('Conversations of this process');
  await list.getByRole('searchbox').fill('red');
  await page.keyboard.press('Enter');
  await list.getByText('in the archive').first().waitFor();
  await list.getByRole('button', { name: 'the red one', exact: true }).click();
  const archive = dialog('Archive of this conversation');
  const messages = archive.getByRole('list', { name: 'Archived messages' });
  await messages.locator('.found').getByText('the red one').waitFor();
  await looksWell(page, 'archive-found');
  await page.keyboard.press('Escape');
});

step('[U264] what happens when it fills up is chosen in words, for each conversation, and kept', async () => {
  await menu('When it fills up');
  const policy = dialog('When it fills up');
  expect(await policy.getByRole('radio', { name: 'Leave the oldest messages out' }).isChecked()).toBe(true);
  await policy.getByRole('radio', { name: 'Summarise the oldest messages' }).check();
  await policy.getByLabel('As soon as it is').selectOption({ label: '75 % full' });
  await policy.getByLabel('Newest messages that stay').fill('none');
  await policy.getByText('Write a number from 1 to 9999').waitFor();
  await policy.getByLabel('Newest messages that stay').fill('12');
  await looksWell(page, 'fills-up');
  await policy.getByRole('button', { name: 'Save' }).click();
  await policy.waitFor({ state: 'detached' });
  await page.reload();
  await menu('When it fills up');
  expect(await policy.getByRole('radio', { name: 'Summarise the oldest messages' }).isChecked()).toBe(true);
  expect(await policy.getByLabel('Newest messages that stay').inputValue()).toBe('12');
  await policy.getByRole('radio', { name: 'Stop and tell me' }).check();
  await policy.getByRole('button', { name: 'Save' }).click();
});

step(
  '[U265] that the conversation fills up is said at 0.75, 0.9 and 1.0, with what can be done',
  async () => {
    await page.getByRole('link', { name: 'Chat' }).click();
    await menu('Conversations and search');
    await dialog('Conversations of this process').getByRole('button', { name: 'New conversation' }).click();
    await page.getByRole('heading', { name: /Untitled/ }).waitFor();
    const notice = page.getByRole('status');
    await told('a little', 'All is well.', 1_000);
    expect(await notice.getByText('what the model can read').count()).toBe(0);
    await told('more', 'Hm.', 195_000);
    await notice.getByText('fills most of what the model can read').waitFor();
    await looksWell(page, 'pressure');
    await told('still more', 'Oh.', 236_000);
    await notice.getByText('almost fills what the model can read').waitFor();
    await told('and more', 'Oh dear.', 262_000);
    await notice.getByText('no longer fits').waitFor();
    world.model.enqueue(text('It was about much.'));
    await notice.getByRole('button', { name: 'Compact' }).click();
    await log().getByText('It was about much.').waitFor();
    await told('and now?', 'Much better.', 1_000);
    await expect.poll(() => notice.getByText('the model').count()).toBe(0);
  },
);

step('[U266] a checkpoint is saved from the menu of a process that has a workspace', async () => {
  await page.getByRole('link', { name: 'Processes' }).click();
  await page.getByRole('button', { name: 'New' }).first().click();
  await dialog('New conversation').getByLabel('Name').fill('The site');
  await dialog('New conversation')
    .getByLabel('Where it works')
    .selectOption({ label: 'In a workspace of its own' });
  await looksWell(page, 'new-conversation');
  await dialog('New conversation').getByRole('button', { name: 'Start' }).click();
  await told('begin', 'Begun.');
  await menu('Save a checkpoint');
  await page.getByText(/Saved in \/workspaces\/.+\.gsv/).waitFor();
});
