import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withScreenshot } from '../support/browser.ts';
import { DESKTOP, looksWell, PHONE } from '../support/look.ts';
import { text } from '../support/model-replies.ts';
import { World } from '../support/world.ts';

/** A minute, and a little for what it takes. */
const FIRES_MS = 90_000;

let world: World;
let page: Page;

beforeAll(async () => {
  world = await World.start();
  ({ page } = await world.open(undefined, DESKTOP, { bypassCSP: true, reducedMotion: 'reduce' }));
  await world.setUp(page);
});
afterAll(() => world.stop());

const step = (name: string, run: () => Promise<void>, ms = 60_000): void => {
  test(name, { timeout: ms }, () => withScreenshot(page, name, run));
};

const dialog = () => page.getByRole('dialog');
/** Opens what is rarely set. */
const more = () =>
  dialog()
    .getByText(/^More:/)
    .click();
const preview = () => dialog().getByRole('status');
const card = (name: string) =>
  page.getByRole('listitem').filter({ has: page.getByRole('heading', { name }) });

/** A command that fails each minute. */
async function makeFailing(): Promise<void> {
  await page.getByRole('button', { name: 'New schedule' }).click();
  await dialog().getByLabel('What happens').selectOption('run');
  await dialog().getByLabel('Command').fill('echo the disk is full; exit 3');
  await dialog().getByRole('radio', { name: 'Cron' }).check();
  await dialog().getByLabel('Cron expression').fill('* * * * *');
  await more();
  await dialog().getByLabel('Name').fill('Backup');
  await dialog().getByRole('button', { name: 'Create' }).click();
  await card('Backup').waitFor();
}

step(
  '[U144] schedules are reached beside the processes, on a phone too, and say what to do when there are none',
  async () => {
    await page.setViewportSize(PHONE);
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Processes' }).click();
    await page.getByRole('link', { name: 'Schedules' }).click();
    await page.getByText('Nothing happens by itself yet.').waitFor();
    expect(await page.getByRole('navigation', { name: 'Main' }).getByRole('link').count()).toBe(4);
    await page.setViewportSize(DESKTOP);
    await looksWell(page, 'empty');
  },
);

step(
  '[U145] the editor says when it fires next while one types, and what is wrong at its place',
  async () => {
    await page.getByRole('button', { name: 'New schedule' }).click();
    await preview().getByText('It fires next').waitFor();
    expect(await preview().getByRole('listitem').count()).toBe(3);
    await dialog().getByRole('radio', { name: 'Cron' }).check();
    await dialog().getByLabel('Cron expression').fill('0 0 30 2 *');
    await preview().getByText('never fires').waitFor();
    await dialog().getByLabel('Cron expression').fill('30 9 * * *');
    await dialog().getByLabel('Time zone').fill('Asia/Tokyo');
    await preview().getByText('09:30').first().waitFor();
    await dialog().getByRole('radio', { name: 'Repeat' }).check();
    await dialog().getByLabel('Every', { exact: true }).fill('none');
    await preview().getByText('Write a whole number').waitFor();
    await dialog().getByRole('radio', { name: 'On days' }).check();
    await dialog().getByRole('button', { name: 'Create' }).click();
    await dialog().getByText('Write what it should be told').waitFor();
    await looksWell(page, 'editor');
  },
);

step('[U353] what makes a schedule is in sight wherever its editor is scrolled, on a phone too', async () => {
  for (const size of [PHONE, DESKTOP]) {
    await page.setViewportSize(size);
    const make = dialog().getByRole('button', { name: 'Create' });
    for (const label of ['What happens', 'Time zone']) {
      await dialog().getByLabel(label).focus();
      await make.click({ trial: true });
      const { y, height } = (await make.boundingBox()) ?? { y: 0, height: 0 };
      expect(y + height).toBeLessThan(size.height);
      const field = await dialog().getByLabel(label).boundingBox();
      expect((field?.y ?? 0) + (field?.height ?? 0)).toBeLessThan(y);
    }
  }
  expect(await dialog().getByLabel('When it fails').isVisible()).toBe(false);
});

step(
  '[U146] a schedule that is made in the page fires, and its run is seen',
  async () => {
    await dialog().getByLabel('What happens').selectOption('run');
    await dialog().getByLabel('Command').fill('echo the clock struck');
    await dialog().getByRole('radio', { name: 'Cron' }).check();
    await dialog().getByLabel('Cron expression').fill('* * * * *');
    await more();
    await dialog().getByLabel('Name').fill('Clock');
    await dialog().getByRole('button', { name: 'Create' }).click();
    await card('Clock').getByText('Next in less than a minute').waitFor();
    await makeFailing();
    await card('Clock').getByText('Last run went well').waitFor({ timeout: FIRES_MS });
    await card('Clock').getByText('Last run went well').click();
    await page.getByRole('list', { name: 'Runs of Clock' }).getByText('the clock struck').first().waitFor();
    await looksWell(page, 'list');
  },
  150_000,
);

step('[U269] a schedule that fails is told of; the notification leads to it and runs it again', async () => {
  await page.getByRole('link', { name: 'Chat' }).click();
  await page.getByRole('button', { name: /^Notifications, 1 new/ }).click({ timeout: FIRES_MS });
  const told = dialog().getByRole('listitem').filter({ hasText: 'The schedule “Backup” failed' });
  await told.getByText('It ended with code 3').waitFor();
  expect(await told.getByText('the disk is full').count()).toBe(0);
  await looksWell(page, 'notification');
  await told.getByRole('button', { name: 'Run again' }).click();
  await page.getByText('The schedule failed: It ended with code 3').waitFor();
  await told.getByRole('link', { name: 'Show the schedule' }).click();
  await page.waitForURL(/\/schedules\/.+/);
  await page.getByRole('list', { name: 'Runs of Backup' }).getByText('the disk is full').first().waitFor();
  await looksWell(page, 'failed');
  await page.getByRole('button', { name: 'Remove Backup' }).click();
  await dialog().getByRole('button', { name: 'Remove' }).click();
});

step('[U268] each setting of a schedule is changed in words', async () => {
  await page.getByRole('button', { name: 'New schedule' }).click();
  await more();
  await dialog().getByText('You are told that it failed.').waitFor();
  await dialog().getByLabel('When it fails').selectOption({ label: 'Try 3 times more' });
  await dialog().getByLabel('First after').selectOption({ label: '5 minutes' });
  await dialog().getByText('after 5 minutes, then after 10 minutes, then after 20 minutes').waitFor();
  await dialog().getByText('While its last run still goes on, it is skipped.').waitFor();
  await dialog().getByLabel('When GSV was not open').selectOption({ label: 'Skip it' });
  await dialog().getByLabel('What happens').selectOption({ label: 'Look after a conversation' });
  await dialog().getByLabel('How').selectOption({ label: 'Save a checkpoint of it' });
  expect(await dialog().getByLabel('Which conversation').inputValue()).toBe('init:1000');
  await looksWell(page, 'editor-care');
  await dialog().getByRole('button', { name: 'Create' }).click();
  await card('Save a checkpoint of it').waitFor();
  await page.getByRole('button', { name: 'Edit Save a checkpoint of it' }).click();
  expect(await dialog().getByLabel('When it fails').inputValue()).toBe('3');
  expect(await dialog().getByLabel('First after').inputValue()).toBe('300000');
  expect(await dialog().getByLabel('How').inputValue()).toBe('checkpoint');
  await dialog().getByLabel('What happens').selectOption({ label: 'Start a new conversation' });
  await dialog().getByLabel('What it should do').fill('sum up the week');
  await dialog()
    .getByLabel('What needs your approval')
    .selectOption({ label: 'is asked, and it waits for you' });
  await looksWell(page, 'editor-spawn');
  await dialog().getByRole('button', { name: 'Save' }).click();
  await dialog().waitFor({ state: 'detached' });
  await card('Save a checkpoint of it').getByText('starts a process: sum up the week').waitFor();
  await page.getByRole('button', { name: 'Remove Save a checkpoint of it' }).click();
  await dialog().getByRole('button', { name: 'Remove' }).click();
});

step('[U147] it is switched off, run by hand, changed and removed by keyboard', async () => {
  await card('Clock').getByText('Last run went well').click();
  const toggle = page.getByRole('switch', { name: 'Clock is on' });
  await toggle.focus();
  await page.keyboard.press('Space');
  await card('Clock').getByText('Off', { exact: true }).waitFor();
  expect(await toggle.getAttribute('aria-checked')).toBe('false');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByRole('list', { name: 'Runs of Clock' }).getByText('by hand').first().waitFor();
  await page.getByRole('button', { name: 'Edit Clock' }).focus();
  await page.keyboard.press('Enter');
  expect(await dialog().getByLabel('Cron expression').inputValue()).toBe('* * * * *');
  await dialog().getByLabel('Command').fill('exit 3');
  await dialog().getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Run now: Clock' }).click();
  await page.getByText('It ended with code 3').first().waitFor();
  await page.getByRole('button', { name: 'Remove Clock' }).click();
  await dialog().getByRole('button', { name: 'Remove' }).click();
  await page.getByText('Nothing happens by itself yet.').waitFor();
});

step('[U148] the heartbeat is a schedule that the settings make on first use', async () => {
  world.model.enqueue(text('Nothing to do.'));
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('link', { name: 'Account' }).click();
  await page.getByLabel('Look at HEARTBEAT.md').selectOption({ label: 'every 30 minutes' });
  await page.getByRole('link', { name: 'Processes' }).click();
  await page.getByRole('link', { name: 'Schedules' }).click();
  await card('Heartbeat').getByText('Every 30 minutes').waitFor();
  await page.getByRole('button', { name: 'Run now: Heartbeat' }).click();
  await page.getByText('~/HEARTBEAT.md asks for nothing').first().waitFor();
  expect(world.model.requests).toEqual([]);
  await looksWell(page, 'heartbeat');
});
