import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OpenPage, withScreenshot } from '../support/browser.ts';
import { text, tool } from '../support/model-replies.ts';
import { account, answered, World } from '../support/world.ts';

/** A page that was opened without the claim link, and used by keyboard alone. */
let world: World;
let open: OpenPage;
let page: Page;
const CHANGED = 'another horse';
const FAILURES = 10;
const MOST_TABS = 40;

beforeAll(async () => {
  world = await World.start();
  open = await world.open('/');
  page = open.page;
});
afterAll(() => world.stop());

const step = (name: string, run: () => Promise<void>): void => {
  test(name, () => withScreenshot(page, name, run));
};

/** Presses Tab until this has the focus. */
async function tabTo(target: Locator): Promise<void> {
  await target.waitFor();
  for (let tabs = 0; tabs <= MOST_TABS; tabs += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not lead to ${target}`);
}

async function type(label: string, content: string): Promise<void> {
  await tabTo(page.getByLabel(label, { exact: true }));
  await page.keyboard.type(content);
}

async function press(name: string): Promise<void> {
  await tabTo(page.getByRole('button', { name, exact: true }));
  await page.keyboard.press('Enter');
}

const message = (): Locator => page.getByRole('textbox', { name: 'Message' });

step('[U67] the first run is done by keyboard alone, on a page that has joined no server', async () => {
  await type('Username', account.username);
  await type('Password', account.password);
  await type('Repeat the password', account.password);
  await page.keyboard.press('Enter');
  await tabTo(page.getByLabel('Provider'));
  await page.keyboard.type('Another');
  await type('Address', world.model.url);
  await type('Model', 'scripted-model');
  await page.keyboard.press('Enter');
  await press('Skip');
  await message().waitFor();
});

step('[U67] a first chat with an approval is done by keyboard alone', async () => {
  world.model.enqueue(
    tool('Shell', { target: 'gsv', input: 'rm -rf /home/ada/memory' }),
    text('Gone.'),
    text('Well.'),
  );
  await tabTo(message());
  await page.keyboard.type('forget it all');
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'Approve this command?' }).waitFor();
  await press('Approve');
  await answered(page, 'Gone.');
  await tabTo(message());
  await page.keyboard.type('how are you?');
  await page.keyboard.press('Enter');
  await answered(page, 'Well.');
});

step('[U68] Ctrl+K leads to the devices, which say how this browser joins its server', async () => {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').waitFor();
  await page.keyboard.type('devices');
  await page.keyboard.press('Enter');
  await page.getByText('This browser works on its own.').waitFor();
  await page.getByText(/Open the claim link that the server printed/).waitFor();
});

step('[U69] after signing out only the password opens the page again, and nothing is lost', async () => {
  await signOut();
  await signIn('not the password');
  await page.getByText('This name and password do not belong together.').waitFor();
  await page.reload();
  await signIn(account.password);
  await page.getByRole('link', { name: 'Chat' }).click();
  await page.getByRole('log').getByText('Well.').waitFor();
});

step(
  '[U347] a password is changed in the settings; a wrong one, and two that differ, are said at their fields',
  async () => {
    const form = page.locator('form', { has: page.getByLabel('Your password now') });
    const fill = async (now: string, next: string, again = next): Promise<void> => {
      await page.getByLabel('Your password now').fill(now);
      await page.getByLabel('New password', { exact: true }).fill(next);
      await page.getByLabel('Repeat the new password').fill(again);
      await form.getByRole('button', { name: 'Change it' }).click();
    };
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('link', { name: 'Account' }).click();
    await page.getByRole('button', { name: 'Change password' }).click();
    await fill(account.password, CHANGED, `${CHANGED}s`);
    await form.getByText('This is not the same password.').waitFor();
    await fill('wrong', CHANGED);
    await form.getByText('That is not your password.').waitFor();
    await fill(account.password, CHANGED);
    await page.getByText(/your new password counts/).waitFor();
    await signOut();
    await signIn(CHANGED);
    await page.getByRole('link', { name: 'Chat' }).waitFor();
  },
);

step(
  '[U70] after ten wrong passwords in a minute even the right one has to wait, and is told so',
  async () => {
    await signOut();
    for (let failures = 0; failures < FAILURES; failures += 1) {
      await signIn(`wrong ${failures}`);
      await page.getByText('This name and password do not belong together.').waitFor();
    }
    await signIn(CHANGED);
    await page.getByText('Too many failed attempts. Try again in a minute.').waitFor();
  },
);

test('[U67] nothing of all this raised an error or broke the content security policy', () => {
  expect(open.problems).toEqual({ errors: [], violations: [], foreign: [] });
});

async function signOut(): Promise<void> {
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('link', { name: 'Account' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
}

async function signIn(password: string): Promise<void> {
  await page.getByLabel('Username').fill(account.username);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page
    .getByRole('button', { name: 'Sign in' })
    .or(page.getByRole('link', { name: 'Chat' }))
    .waitFor();
}
