import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withScreenshot } from '../support/browser.ts';
import { byWord } from '../support/by-word.ts';
import { looksWell } from '../support/look.ts';
import { openElsewhere, synced } from '../support/one-gsv.ts';
import { answered, say, World } from '../support/world.ts';

let world: World;
let laptop: Page;
let phone: Page;
/** The recovery phrase, as it was shown. */
let phrase: string[] = [];

beforeAll(async () => {
  world = await World.start();
  world.model.respond(byWord);
  ({ page: laptop } = await world.open(undefined, undefined, { bypassCSP: true }));
});
afterAll(() => world.stop());

const step = (name: string, run: () => Promise<void>): void => {
  test(name, () => withScreenshot(phone ?? laptop, name, () => withScreenshot(laptop, name, run)), 60_000);
};

async function openPrivacy(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('link', { name: 'Privacy' }).click();
}

/** Types the phrase into an empty browser. */
async function recover(page: Page, words: string): Promise<void> {
  await page.getByRole('button', { name: 'I have GSV on another device' }).click();
  await page.getByRole('button', { name: 'Use your recovery phrase' }).click();
  await page.getByLabel('Your 24 words').fill(words);
  await page.getByRole('button', { name: 'Bring it back' }).click();
}

step(
  '[U316] a new GSV is sealed unless its person says otherwise, and the page says which it is',
  async () => {
    const choice = laptop.getByRole('checkbox', { name: /^Sealed/ });
    expect(await choice.isChecked()).toBe(true);
    await looksWell(laptop, 'seal-choice');
    await world.setUp(laptop);
    await say(laptop, 'before the phrase');
    await answered(laptop, 'Heard: before the phrase');
    await synced(laptop);
    await openPrivacy(laptop);
    await laptop
      .getByText('Its server keeps messages, files, names and settings that it cannot read')
      .waitFor();
    await looksWell(laptop, 'privacy');
  },
);

step('[U317] whoever has no recovery phrase is asked once, and two of its words are asked for', async () => {
  await laptop.getByRole('link', { name: 'Chat' }).click();
  await laptop.getByText('Keep a recovery phrase, for the day').waitFor();
  await looksWell(laptop, 'phrase-offer');
  await laptop.getByRole('button', { name: 'Make one' }).click();
  await laptop.getByRole('button', { name: 'Make a recovery phrase' }).click();
  const dialog = laptop.getByRole('dialog');
  const words = dialog.getByRole('list', { name: 'Recovery phrase' }).getByRole('listitem');
  await words.last().waitFor();
  phrase = await words.allInnerTexts();
  expect(phrase).toHaveLength(24);
  await looksWell(laptop, 'phrase');
  await dialog.getByRole('button', { name: 'I have written them down' }).click();
  const fields = dialog.getByRole('textbox');
  await fields.first().fill('zebra');
  await fields.last().fill('zebra');
  await dialog.getByRole('button', { name: 'Done' }).click();
  await dialog.getByRole('alert').waitFor();
  await looksWell(laptop, 'phrase-check');
  for (const field of await fields.all()) {
    const label = await field.evaluate((input) => (input as HTMLInputElement).labels?.[0]?.innerText ?? '');
    await field.fill(phrase[Number(/\d+/.exec(label)?.[0]) - 1] ?? '');
  }
  await dialog.getByRole('button', { name: 'Done' }).click();
  await laptop.getByText('You have one. It opens this GSV').waitFor();
});

step('[U318] another browser gets the keys by its invitation, and both read what either writes', async () => {
  await laptop.getByRole('link', { name: 'Chat' }).click();
  ({ page: phone } = await openElsewhere(world, laptop, { width: 390, height: 844 }));
  await answered(phone, 'Heard: before the phrase');
  await say(phone, 'from the phone');
  await answered(phone, 'Heard: from the phone');
  await answered(laptop, 'Heard: from the phone');
});

step('[U319] removing a browser makes new keys, and everything is sealed anew', async () => {
  await laptop.getByRole('link', { name: 'Devices' }).click();
  await laptop
    .getByRole('button', { name: /^Shut out|^Remove/ })
    .first()
    .click();
  await laptop
    .getByRole('dialog')
    .getByRole('button', { name: /^Shut out|^Remove/ })
    .click();
  await openPrivacy(laptop);
  await laptop.getByText('keys made').waitFor();
  await laptop.locator('dd', { hasText: '2' }).first().waitFor();
  await phone.getByLabel('Password').waitFor();
  await laptop.getByRole('link', { name: 'Chat' }).click();
  await say(laptop, 'after the phone');
  await answered(laptop, 'Heard: after the phone');
  await synced(laptop);
});

step('[U320] when every browser is lost, the phrase brings the GSV back into an empty one', async () => {
  await laptop.context().close();
  ({ page: laptop } = await world.open('/', undefined, { bypassCSP: true }));
  await recover(laptop, phrase.slice(0, 23).join(' '));
  await laptop.getByText('A recovery phrase has 24 words; these are 23').waitFor();
  await looksWell(laptop, 'recover');
  await laptop.getByLabel('Your 24 words').fill(phrase.join('\n').toUpperCase());
  await laptop.getByRole('button', { name: 'Bring it back' }).click();
  await answered(laptop, 'Heard: after the phone');
  await answered(laptop, 'Heard: from the phone');
  await openPrivacy(laptop);
  await laptop.getByText('You have one.').waitFor();
});
