import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPage, withScreenshot } from '../support/browser.ts';
import { gzippedSize } from '../support/precache.ts';
import { World } from '../support/world.ts';

/** What a form needs, gzipped; the kernel's worker apart. */
const FORM_AT_MOST = 60_000;
const PART_WITH_THE_PAGE = /\/assets\/signed-in-/;

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());

/** A page of a new browser whose scripts stay away until `release`. */
async function withoutScripts(theme?: string): Promise<{ page: Page; release(): void }> {
  const context = await world.browser.newContext({
    colorScheme: 'light',
    viewport: { width: 390, height: 844 },
  });
  if (theme) await context.addInitScript((name) => localStorage.setItem('gsv.page.theme', name), theme);
  const page = await context.newPage();
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/assets/*.js', async (route) => {
    await released;
    await route.continue();
  });
  await page.goto(world.server.url, { waitUntil: 'commit' });
  return { page, release };
}

const background = (page: Page): Promise<string> =>
  page.evaluate(() => getComputedStyle(document.body).backgroundColor);

test('[U281] the page says that it starts before its programs are there, in the theme that was chosen', async () => {
  const plain = await withoutScripts();
  await plain.page.getByText('Starting…').waitFor();
  const dark = await withoutScripts('dark');
  await withScreenshot(dark.page, 'first-paint', async () => {
    await dark.page.getByText('Starting…').waitFor();
    expect(await background(dark.page)).not.toBe(await background(plain.page));
    dark.release();
    await dark.page.getByLabel('Username').waitFor();
    expect(await dark.page.getByText('Starting…').count()).toBe(0);
  });
});

test('[U282] a form loads without the rest of the page, which comes while it is filled in', async () => {
  const { page } = await world.open();
  await withScreenshot(page, 'form-alone', async () => {
    await page.getByLabel('Username').waitFor();
    const paths = await page.evaluate(() =>
      performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname),
    );
    const ofForm = [...new Set(paths)].filter((path) => /^\/assets\/(?!kernel-worker)/.test(path));
    expect(ofForm.filter((path) => PART_WITH_THE_PAGE.test(path))).toEqual([]);
    expect(ofForm.reduce((sum, path) => sum + gzippedSize(path), 0)).toBeLessThan(FORM_AT_MOST);
    const rest = page.waitForResponse((response) => PART_WITH_THE_PAGE.test(response.url()));
    await page.getByLabel('Username').fill('ada');
    await rest;
  });
});

test('[U334] at an address without HTTPS the page says why it cannot work there, and where it can', async () => {
  const context = await world.browser.newContext();
  await context.addInitScript(() => Object.defineProperty(window, 'isSecureContext', { value: false }));
  const { page } = await openPage(world.browser, world.server.url, { context });
  await withScreenshot(page, 'insecure', async () => {
    await page.getByRole('heading', { name: 'This address needs HTTPS' }).waitFor();
    await page.getByRole('link', { name: `http://localhost:${world.server.port}/` }).waitFor();
  });
});
