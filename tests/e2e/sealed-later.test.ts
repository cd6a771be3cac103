import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withScreenshot } from '../support/browser.ts';
import { byWord } from '../support/by-word.ts';
import { filesWith } from '../support/find-secret.ts';
import { looksWell } from '../support/look.ts';
import { openElsewhere, synced } from '../support/one-gsv.ts';
import { waitFor } from '../support/server.ts';
import { answered, say, World } from '../support/world.ts';

const PLANTED = 'zebra-crossing-in-the-rain';

let world: World;
let laptop: Page;
let phone: Page;

beforeAll(async () => {
  world = await World.start({ readable: true });
  world.model.respond(byWord);
  ({ page: laptop } = await world.open(undefined, undefined, { bypassCSP: true }));
  await withScreenshot(laptop, 'sealed-later-set-up', async () => {
    await world.setUp(laptop);
    await say(laptop, PLANTED);
    await answered(laptop, `Heard: ${PLANTED}`);
    ({ page: phone } = await openElsewhere(world, laptop, { width: 390, height: 844 }));
    await answered(phone, `Heard: ${PLANTED}`);
  });
});
afterAll(() => world.stop());

const step = (name: string, run: () => Promise<void>): void => {
  test(name, () => withScreenshot(phone, `${name} phone`, () => withScreenshot(laptop, name, run)), 60_000);
};

const atServer = (): string[] => filesWith(world.server.dataDir, PLANTED);

step('[U321] a GSV that was not sealed is sealed from the page, after a copy of everything', async () => {
  await synced(laptop);
  expect(atServer()).not.toEqual([]);
  await laptop.goto(`${world.server.url}/settings/privacy`);
  await laptop.getByText('whoever holds its server can read messages').waitFor();
  await looksWell(laptop, 'seal-later');
  await laptop.getByRole('button', { name: 'Seal this GSV' }).click();
  const [download] = await Promise.all([
    laptop.waitForEvent('download'),
    laptop.getByRole('dialog').getByRole('button', { name: 'Seal it' }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^gsv-.*\.zip$/);
  await laptop
    .getByText('Its server keeps messages, files, names and settings that it cannot read')
    .waitFor();
});

step('[U321] the other browser goes on, and the server has nothing that it could read', async () => {
  await say(phone, 'after it was sealed');
  await answered(phone, 'Heard: after it was sealed');
  await laptop.getByRole('link', { name: 'Chat' }).click();
  await answered(laptop, 'Heard: after it was sealed');
  await waitFor(() => atServer().length === 0, 'the server to have forgotten what it could read');
  await laptop.reload();
  await answered(laptop, `Heard: ${PLANTED}`);
});
