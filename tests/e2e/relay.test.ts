import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withScreenshot } from '../support/browser.ts';
import { filesWith, storageWith } from '../support/find-secret.ts';
import { fail, text, tool } from '../support/model-replies.ts';
import { account, answered, say, toolResults, World } from '../support/world.ts';

const KEY = 'sk-a-key-that-nobody-else-may-see-5309';
/** Chromium's own record of every request of its pages and workers, addresses included. */
const logs = mkdtempSync(join(tmpdir(), 'gsv-net-'));
const netLog = join(logs, 'net.json');

let world: World;
let page: Page;

beforeAll(async () => {
  world = await World.start({
    readable: true,
    model: { cors: false, apiKey: KEY },
    browserArgs: [`--log-net-log=${netLog}`],
  });
  ({ page } = await world.open());
  await withScreenshot(page, 'relay-set-up', () => world.setUp(page));
});
afterAll(async () => {
  await world.stop();
  rmSync(logs, { recursive: true });
});

const step = (name: string, run: () => Promise<void>): void => {
  test(name, () => withScreenshot(page, name, run));
};

/** What the button "Test" in the settings says, with this key typed before. */
async function tested(key: string): Promise<string> {
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  const line = page.locator('.test-line');
  await line.filter({ hasText: /\w/, hasNotText: 'Asking' }).waitFor();
  return line.innerText();
}

step('[R63] a wrong key is said in plain words', async () => {
  const { host } = new URL(world.model.url);
  expect(await tested('sk-wrong')).toBe(`${host} refused the key (401). Check it above.`);
  await page.getByRole('link', { name: 'Chat' }).click();
  await say(page, 'hello');
  await page.getByRole('log').getByText('refused the key (401). Check it in Settings.').waitFor();
  expect(world.model.requests).toHaveLength(0);
  await page.getByRole('link', { name: 'Set up the model' }).click();
  await page.getByLabel('API key').waitFor();
});

step(
  '[R64] a provider that refuses browsers is reached by way of the server, and the test says so',
  async () => {
    world.model.enqueue(text('ok'));
    expect(await tested(KEY)).toMatch(/^It answers, after .+, by way of the server\.$/);
    await page.getByRole('link', { name: 'Chat' }).click();
    world.model.enqueue(text('Hello from behind the server.'));
    await say(page, 'are you there?');
    await answered(page, 'Hello from behind the server.');
    expect(world.model.requests.at(-1)?.headers).toMatchObject({ authorization: `Bearer ${KEY}` });
    expect(world.model.requests.at(-1)?.headers).not.toHaveProperty('origin');
  },
);

step('[R65] a provider that limits requests is asked again', async () => {
  const before = world.model.requests.length;
  world.model.enqueue(fail(429), text('After a pause.'));
  await say(page, 'and now?');
  await page
    .getByRole('main')
    .getByText(/^trying again in \d+ s: /)
    .waitFor();
  await answered(page, 'After a pause.');
  expect(world.model.requests).toHaveLength(before + 2);
});

step('[R66] the key is found nowhere but with the provider', async () => {
  world.model.enqueue(
    tool('Read', { target: 'gsv', path: '/sys/config/users/1000/ai' }),
    text('That is all.'),
  );
  await say(page, 'what is configured?');
  await answered(page, 'That is all.');
  expect(toolResults(world.model).at(-1)).toContain('api_key');
  world.model.enqueue(
    tool('Read', { target: 'gsv', path: '/sys/config/users/1000/ai/api_key' }),
    text('No more.'),
  );
  await say(page, 'and the key?');
  await answered(page, 'No more.');
  expect(JSON.stringify(world.model.requests.map(({ body }) => body))).not.toContain(KEY);
  // Each search is first shown to find what does belong there.
  expect(await storageWith(page, account.username)).not.toEqual([]);
  expect(await storageWith(page, 'scripted-model')).toEqual([]);
  expect(await storageWith(page, KEY)).toEqual([]);
  expect(filesWith(world.server.dataDir, 'scripted-model')).not.toEqual([]);
  expect(filesWith(world.server.dataDir, KEY)).toEqual([]);
  expect(world.server.printed()).not.toContain(KEY);
  expect(world.model.others.join()).not.toContain(KEY);
  expect(await page.content()).not.toContain(KEY);
});

step('[R67] a provider that does not run is said in plain words', async () => {
  const { host } = new URL(world.model.url);
  await world.model.close();
  expect(await tested(KEY)).toBe(`${host} cannot be reached. Check the address, and that it is running.`);
});

test('[R66] the key is in no address that the browser asked', async () => {
  await world.browser.close();
  const log = readFileSync(netLog, 'utf8');
  expect(log).toContain(`${world.server.url}/relay`);
  expect(log).not.toContain(KEY);
});
