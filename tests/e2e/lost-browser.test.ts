import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withScreenshot } from '../support/browser.ts';
import { byWord } from '../support/by-word.ts';
import { Gate } from '../support/gate.ts';
import { hold, text } from '../support/model-replies.ts';
import { openElsewhere, synced } from '../support/one-gsv.ts';
import { account, answered, type Device, say, World } from '../support/world.ts';

let world: World;
let laptop: Page;
let phone: Page;
let device: Device;

beforeAll(async () => {
  world = await World.start();
  world.model.respond(byWord);
  ({ page: laptop } = await world.open());
  await withScreenshot(laptop, 'lost-browser-set-up', async () => {
    await world.setUp(laptop);
    device = await world.addDevice(laptop);
    await say(laptop, 'write kept.md: what must not be lost');
    await laptop.getByText(/^Result: .*kept\.md/).waitFor();
    ({ page: phone } = await openElsewhere(world, laptop));
  });
});
afterAll(() => world.stop());

const step = (name: string, run: () => Promise<void>): void => {
  test(name, () => withScreenshot(laptop, name, () => withScreenshot(phone ?? laptop, `${name} phone`, run)));
};

async function settings(page: Page, section: string): Promise<void> {
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('link', { name: section }).click();
}

step('[S46] a browser that was emptied is as new, and gets everything back by a new link', async () => {
  await synced(phone);
  await settings(phone, 'Storage');
  await phone.getByRole('button', { name: 'Remove GSV from this browser' }).click();
  await phone.getByRole('button', { name: 'Remove', exact: true }).click();
  await phone.getByLabel('Username').waitFor();
  await phone.context().close();
  ({ page: phone } = await openElsewhere(world, laptop));
  await say(phone, 'read kept.md');
  await answered(phone, 'Result: 1\twhat must not be lost');
});

step('[P93] a run whose browser is gone goes on here, and its command runs once', async () => {
  const log = join(device.workspace, 'ran.txt');
  const gate = new Gate();
  world.model.enqueue(hold(gate, text('Never heard.')));
  await say(phone, 'run echo ran >> ran.txt');
  await laptop.getByText('run echo ran >> ran.txt', { exact: true }).last().waitFor();
  await phone.context().close();
  await laptop.getByRole('button', { name: 'Go on here' }).click();
  await laptop.getByRole('button', { name: 'Approve' }).click();
  await laptop.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
  gate.open();
  expect(readFileSync(log, 'utf8')).toBe('ran\n');
  ({ page: phone } = await openElsewhere(world, laptop));
});

step('[S47] a browser that is shut out locks itself, and opens by the password alone', async () => {
  await laptop.getByRole('link', { name: 'Devices' }).click();
  await laptop
    .getByRole('button', { name: /^Shut out/ })
    .last()
    .click();
  await laptop.getByRole('dialog').getByRole('button', { name: 'Shut out' }).click();
  await phone.getByText(/This browser was shut out/).waitFor();
  await phone.reload();
  await phone.getByText(/This browser was shut out/).waitFor();
  await phone.getByLabel('Username').fill(account.username);
  await phone.getByLabel('Password').fill(account.password);
  await phone.getByRole('button', { name: 'Sign in' }).click();
  await phone.getByRole('textbox', { name: 'Message' }).waitFor();
  await laptop.getByRole('link', { name: 'Chat' }).click();
  await say(laptop, 'not for the phone');
  await answered(laptop, 'Heard: not for the phone');
  await phone.reload();
  await phone.getByText(/This browser was shut out/).waitFor();
  expect(await phone.content()).not.toContain('not for the phone');
});

step('[K130] what one browser exports, an empty one restores', async () => {
  await settings(laptop, 'Storage');
  const [download] = await Promise.all([
    laptop.waitForEvent('download'),
    laptop.getByRole('button', { name: 'Export everything' }).click(),
  ]);
  const { page } = await world.open('/');
  await withScreenshot(page, 'restored', async () => {
    await page.getByRole('button', { name: /exported file/ }).click();
    await page.locator('input[type=file]').setInputFiles(await download.path());
    await page.getByLabel('New password').fill(account.password);
    await page.getByRole('button', { name: 'Restore' }).click();
    await page.getByRole('button', { name: /^(Open|Continue|Go on)/ }).click();
    await page.getByRole('log').getByText('write kept.md: what must not be lost').waitFor();
  });
});
