import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withScreenshot } from '../support/browser.ts';
import { runGsv } from '../support/driver.ts';
import { looksWell } from '../support/look.ts';
import { account, World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());

test('[U331] the settings of a sealed GSV make a token for a device, which commands it with no page open', async () => {
  const { page } = await world.open(undefined, undefined, { bypassCSP: true });
  const token = await withScreenshot(page, 'sealed-commands', async () => {
    await world.setUp(page);
    const { workspace } = await world.addDevice(page);
    writeFileSync(join(workspace, 'notes.txt'), 'alpha\n');
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('link', { name: 'Tokens' }).click();
    const device = page.getByLabel('For commands on');
    expect(await device.inputValue()).toBe('box');
    await page.getByLabel('New token for the command line').fill('terminal');
    await page.getByRole('button', { name: 'Make a token' }).click();
    const shown = page.getByText(/^gsv_user_[\w-]{32}\.[\w-]{43}\.box$/);
    await shown.waitFor();
    await looksWell(page, 'sealed-token');
    return shown.innerText();
  });
  await page.close();
  const environment = { GSV_URL: world.server.url, GSV_USER: account.username, GSV_TOKEN: token };
  const command = ['exec', '--target', 'box', '--', 'cat notes.txt'];
  await expect
    .poll(() => runGsv(command, environment))
    .toEqual({ exitCode: 0, stdout: 'alpha\n', stderr: '' });
});
