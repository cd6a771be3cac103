import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { scrollsSideways } from '../support/audit.ts';
import { withScreenshot } from '../support/browser.ts';
import { byWord } from '../support/by-word.ts';
import { openElsewhere } from '../support/one-gsv.ts';
import { account, answered, say, World } from '../support/world.ts';

const SHOTS = process.env.SHOTS;
const copy = join(mkdtempSync(join(tmpdir(), 'gsv-copy-')), 'gsv.zip');

let world: World;
let page: Page;
let other: Page;
let context: BrowserContext;

beforeAll(async () => {
  world = await World.start();
  world.model.respond(byWord);
  ({ page, context } = await world.open());
  await withScreenshot(page, 'copies-set-up', async () => {
    await world.setUp(page);
    await say(page, 'written before');
    await answered(page, 'Heard: written before');
    await page.goto(`${world.server.url}/robots.txt`);
    await page.evaluate(storeAsVersion1);
    await page.goto(world.server.url);
    await answered(page, 'Heard: written before');
  });
});
afterAll(() => world.stop());

const step = (name: string, run: () => Promise<void>): void => {
  test(name, () => withScreenshot(page, name, run), 60_000);
};

/** In a page without a kernel: stores the database again as version 1 of the program did. */
async function storeAsVersion1(): Promise<void> {
  const stores = { updates: 'seq', blobs: 'hash', secrets: 'name', keys: 'name' } as const;
  const done = <T>(request: IDBRequest<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  const rows: Record<string, unknown[]> = {};
  const stored = await done(indexedDB.open('gsv'));
  for (const name of Object.keys(stores))
    rows[name] = await done(stored.transaction(name).objectStore(name).getAll());
  stored.close();
  await done(indexedDB.deleteDatabase('gsv'));
  // Dexie counts tenths of versions.
  const opening = indexedDB.open('gsv', 10);
  opening.onupgradeneeded = () => {
    for (const [name, keyPath] of Object.entries(stores)) {
      const store = opening.result.createObjectStore(name, { keyPath, autoIncrement: name === 'updates' });
      if (name === 'updates') store.createIndex('doc', 'doc');
    }
  };
  const old = await done(opening);
  for (const name of Object.keys(stores)) {
    const store = old.transaction(name, 'readwrite').objectStore(name);
    for (const row of rows[name] ?? []) await done(store.put(row));
  }
  old.close();
}

async function openStorage(): Promise<void> {
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('link', { name: 'Storage' }).click();
}

const copies = (): Locator => page.getByRole('list', { name: 'Copies of everything' }).getByRole('listitem');

/** At both widths, without scrolling sideways. */
async function shots(name: string, of: Locator): Promise<void> {
  for (const width of [390, 1360]) {
    await page.setViewportSize({ width, height: 860 });
    expect(await scrollsSideways(page)).toBe(false);
    await of.scrollIntoViewIfNeeded();
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/${name}-${width}.png` });
  }
}

/** Goes back to a copy, and waits for the page to begin anew. */
async function goBack(copy: Locator, name: string): Promise<string> {
  await copy.getByRole('button', { name: /^Go back/ }).click();
  const dialog = page.getByRole('dialog');
  const said = (await dialog.textContent()) ?? '';
  await shots(name, dialog);
  await Promise.all([
    page.waitForEvent('load'),
    dialog.getByRole('button', { name: 'Go back', exact: true }).click(),
  ]);
  return said;
}

step('[U252] the copy from before an update is shown with its date and size, and is downloaded', async () => {
  await say(page, 'written after');
  await answered(page, 'Heard: written after');
  await openStorage();
  const row = copies();
  await row.getByText(/version 1 stored it, about [\d.]+ [KM]B/).waitFor();
  await shots('copies', row);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    row.getByRole('button', { name: /^Download/ }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^gsv-before-update-ada-\d{4}-\d\d-\d\d\.zip$/);
  await download.saveAs(copy);
});

step('[S88] an empty browser is filled from the copy, and has what was there before the update', async () => {
  const { page: fresh } = await world.open('/');
  await withScreenshot(fresh, 'copies-restore', async () => {
    await fresh.getByRole('button', { name: 'Restore from an exported file' }).click();
    await fresh.getByLabel('Exported file').setInputFiles(copy);
    await fresh.getByLabel('New password').fill(account.password);
    await fresh.getByRole('button', { name: 'Restore', exact: true }).click();
    await fresh.getByRole('heading', { name: 'Restored' }).waitFor();
    await fresh.goto(world.server.url);
    await answered(fresh, 'Heard: written before');
    expect(await fresh.getByText('Heard: written after').count()).toBe(0);
  });
});

step('[U322] the page goes back to a copy, with what was there, and keeps what is there now', async () => {
  ({ page: other } = await openElsewhere(world, page));
  await answered(other, 'Heard: written after');
  await openStorage();
  const said = await goBack(copies(), 'go-back');
  expect(said).toMatch(/become what they were then.*copied first.*leaves the server/);
  await page.getByText(/^You went back to it on/).waitFor();
  await shots('went-back', copies().first());
  await page.getByRole('link', { name: 'Chat' }).click();
  await answered(page, 'Heard: written before');
  expect(await page.getByText('Heard: written after').count()).toBe(0);
  await say(page, 'written anew');
  await answered(page, 'Heard: written anew');
});

step('[S110] the other browser is not set back, and goes on with the server', async () => {
  await other.reload();
  await answered(other, 'Heard: written after');
  expect(await other.getByText('Heard: written anew').count()).toBe(0);
  await say(other, 'written elsewhere');
  await answered(other, 'Heard: written elsewhere');
  expect(await page.getByText('Heard: written elsewhere').count()).toBe(0);
  await other.getByRole('link', { name: 'Settings' }).click();
  await other.getByRole('link', { name: 'Storage' }).click();
  expect(await other.getByText('Copies of everything').count(), 'copies are of one browser').toBe(0);
});

step('[U322] from there it returns to what was there before', async () => {
  await openStorage();
  const kept = copies().filter({ hasText: 'before you went back' });
  const said = await goBack(kept, 'return');
  expect(said).not.toContain('leaves the server');
  await page.getByRole('link', { name: 'Chat' }).click();
  await answered(page, 'Heard: written after');
  expect(await page.getByText('Heard: written anew').count()).toBe(0);
  await openStorage();
});

step('[U252] a copy is removed after a question, and then is shown no more', async () => {
  await expect.poll(() => copies().count()).toBe(3);
  for (let left = 2; left >= 0; left -= 1) {
    await copies()
      .first()
      .getByRole('button', { name: /^Remove the copy/ })
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await expect.poll(() => copies().count()).toBe(left);
  }
  await page.getByText('Copies of everything').waitFor({ state: 'detached' });
  const names = await page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name));
  expect(names).toEqual(['gsv']);
  expect(context.pages()).toHaveLength(1);
});
