import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPage, withScreenshot } from '../support/browser.ts';
import { type CommandResult, type RunningDriver, runGsv, startDriver } from '../support/driver.ts';
import { account, World } from '../support/world.ts';

/** The least that a driver takes, in seconds: a command that outlives it has to be polled. */
const WAIT = '0.25';
const LONGER_MS = 1_000;
const REVOKED_WITHIN_MS = 1_000;

let world: World;
let page: Page;
let workspace: string;
let driver: RunningDriver;
let restart: () => Promise<RunningDriver>;
let nodeToken: string;
let token: string;

beforeAll(async () => {
  world = await World.start({ readable: true });
  ({ page } = await world.open());
  await withScreenshot(page, 'without-browser-set-up', async () => {
    await world.setUp(page);
    ({ workspace, driver, restart, token: nodeToken } = await world.addDevice(page, 'box', ['--wait', WAIT]));
  });
  writeFileSync(join(workspace, 'notes.txt'), 'alpha\nbeta\n');
});
afterAll(() => world.stop());

const step = (name: string, run: () => Promise<void>): void => {
  test(name, () => withScreenshot(page, name, run));
};

/** One `gsv` command as its own program, with the user's token. */
function gsv(command: string, ...rest: string[]): Promise<CommandResult> {
  return runGsv([command, '--url', world.server.url, '--user', account.username, ...rest], {
    GSV_TOKEN: token,
  });
}

async function settings(section: string): Promise<void> {
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('link', { name: section }).click();
}

step('[U60] a token for the command line is shown once', async () => {
  await settings('Tokens');
  await page.getByLabel('New token for the command line').fill('terminal');
  await page.getByRole('button', { name: 'Make a token' }).click();
  token = await page.getByText(/^gsv_user_[\w-]{32}$/).innerText();
  await page.getByRole('button', { name: 'Revoke terminal' }).waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Revoke terminal' }).waitFor();
  expect(await page.content()).not.toContain(token);
});

step('[A75] with no page open the command line lists, reads and runs on the device', async () => {
  await page.close();
  await expect
    .poll(() => gsv('read', '--target', 'gsv', '/home'))
    .toMatchObject({
      exitCode: 1,
      stderr: '503 No kernel is online; open GSV in a browser\n',
    });
  const listed = await gsv('devices');
  expect(listed).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^box\s+online/) });
  expect(await gsv('read', '--target', 'box', 'notes.txt')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/1\talpha\n.*2\tbeta\n/),
  });
  expect(await gsv('exec', '--target', 'box', '--', 'cat', 'notes.txt')).toEqual({
    exitCode: 0,
    stdout: 'alpha\nbeta\n',
    stderr: '',
  });
  expect(await gsv('exec', '--target', 'box', '--', 'exit 7')).toMatchObject({ exitCode: 7 });
});

test('[A76] a command that outlives the wait is polled to its end', async () => {
  const flag = join(workspace, 'go');
  const running = gsv(
    'exec',
    '--target',
    'box',
    '--',
    `echo begun; while [ ! -e ${flag} ]; do sleep 0.05; done; echo ended; exit 3`,
  );
  setTimeout(() => writeFileSync(flag, ''), LONGER_MS);
  expect(await running).toEqual({ exitCode: 3, stdout: 'begun\nended\n', stderr: '' });
});

test('[A77] the command line says in words what a device cannot do', async () => {
  expect(await gsv('exec', '--target', 'nowhere', '--', 'true')).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: '403 Access denied to device: nowhere\n',
  });
  await driver.stop();
  expect(await gsv('exec', '--target', 'box', '--', 'true')).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: '503 Device offline: box\n',
  });
  driver = await restart();
});

test('[D61] a token for another device is refused, and the driver says what to do', async () => {
  const intruder = await startDriver({
    url: world.server.url,
    token: nodeToken,
    id: 'another',
    workspace,
    stateDir: mkdtempSync(join(world.home, 'intruder-')),
  });
  await intruder.waitFor('This token belongs to the device "box", not "another"');
  expect(intruder.output()).toContain('check --id');
  expect(intruder.output()).not.toContain('Connected to');
  await intruder.stop();
});

step('[R61] a revoked device is cut off within a second, and cannot come back', async () => {
  ({ page } = await openPage(world.browser, world.server.url, { context: page.context() }));
  await page.getByRole('link', { name: 'Devices' }).click();
  await page.getByRole('button', { name: 'Revoke box' }).click();
  const cut = driver.waitFor('Disconnected: token revoked');
  const asked = Date.now();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await cut;
  expect(Date.now() - asked).toBeLessThan(REVOKED_WITHIN_MS);
  await driver.waitFor('expired or revoked: check --id');
  await page.getByText('revoked: it cannot connect any more').waitFor();
});

step('[R62] a revoked token of a user is refused', async () => {
  await settings('Tokens');
  await page.getByRole('button', { name: 'Revoke terminal' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByText(/^revoked .*: revoked in the settings$/).waitFor();
  const refused = await gsv('devices');
  expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
  expect(refused.stderr).toMatch(/^401 /);
});
