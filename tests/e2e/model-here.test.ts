import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seriousProblems } from '../support/audit.ts';
import { withScreenshot } from '../support/browser.ts';
import { type FileServer, startFileServer } from '../support/file-server.ts';
import { speak } from '../support/local-model-page.ts';
import { tinyGguf } from '../support/tiny-gguf.ts';
import { account, answered, say, World } from '../support/world.ts';

/** The model that the page proposes first; a small one of the test's making stands at its address. */
const PROPOSED = 'Qwen3 0.6B';
const PATH = '/Qwen/Qwen3-0.6B-GGUF/resolve/main/Qwen3-0.6B-Q8_0.gguf';
const MODEL_MS = 60_000;

let world: World;
let hub: FileServer;
beforeAll(async () => {
  hub = await startFileServer();
  hub.files = new Map([[PATH, tinyGguf({ steps: [speak('Hello from this device.')] })]]);
  world = await World.start();
});
afterAll(async () => {
  await world.stop();
  await hub.close();
});

/** How often the page has asked the browser to keep what it stores. */
const asked = (page: Page): Promise<number> =>
  page.evaluate(() => Number(localStorage.getItem('test.asked')));

function countAsking(): void {
  navigator.storage.persist = async () => {
    localStorage.setItem('test.asked', String(Number(localStorage.getItem('test.asked')) + 1));
    return false;
  };
}

test('[U288][U289] on a phone the wizard leads to a model of the device, which is downloaded, kept, and answers', async () => {
  const { page } = await world.open(undefined, { width: 390, height: 844 });
  await page.addInitScript(countAsking);
  await page.reload();
  await withScreenshot(page, 'model-here', async () => {
    await page.getByLabel('Username').fill(account.username);
    await page.getByLabel('Password', { exact: true }).fill(account.password);
    await page.getByLabel('Repeat the password').fill(account.password);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('heading', { name: 'A model' }).waitFor();
    expect(await seriousProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Choose a model of this device' }).click();
    const download = page.getByRole('button', { name: `Download ${PROPOSED},` });
    await download.waitFor();
    expect(await seriousProblems(page)).toEqual([]);
    await page.getByRole('link', { name: 'Chat' }).click();
    await page.getByText('No model is chosen yet').waitFor();
    await page.getByRole('link', { name: 'run a model on this device' }).click();
    await page.getByText('A mirror for networks').click();
    await page.getByLabel('Mirror', { exact: true }).fill(hub.url);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The mirror is saved.').waitFor();
    const before = await asked(page);
    await download.click();
    await page.getByRole('button', { name: `Use ${PROPOSED}`, exact: true }).click();
    expect([before, await asked(page)]).toEqual([1, 2]);
    await page.getByText('in use').waitFor();
    await page.getByRole('link', { name: 'Chat' }).click();
    await page.getByText('What shall be done?').waitFor();
    expect(await page.getByText('No model is chosen yet').count()).toBe(0);
    page.setDefaultTimeout(MODEL_MS);
    await say(page, 'hello');
    await answered(page, 'Hello from this device.');
  });
}, 120_000);
