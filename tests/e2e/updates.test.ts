import type { BrowserContext, CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser, openPage, withScreenshot } from '../support/browser.ts';
import { kept } from '../support/profile.ts';
import { VersionsServer } from '../support/versions-server.ts';
import { account } from '../support/world.ts';

const TABS = 5;
const UPDATES = 50;
const STEP_MS = 30_000;
/** What is asked of every tab is not asked all the time. */
const PATIENT = { timeout: STEP_MS, interval: 200 };

let server: VersionsServer;
let context: BrowserContext;
let cdp: CDPSession;
let old: OldWorkers;
const tabs: Page[] = [];

beforeAll(async () => {
  server = await VersionsServer.start();
  const browser = await launchBrowser();
  cdp = await browser.newBrowserCDPSession();
  const opened = await openPage(browser, server.url);
  ({ context } = opened);
  context.setDefaultTimeout(STEP_MS);
  await withScreenshot(opened.page, 'updates-set-up', () => setUp(opened.page));
  tabs.push(opened.page);
  await kept(opened.page);
  const session = await context.newCDPSession(opened.page);
  old = new OldWorkers(session);
  await session.send('ServiceWorker.enable');
  while (tabs.length < TABS) tabs.push((await openPage(browser, server.url, { context })).page);
});
afterAll(async () => {
  await context?.browser()?.close();
  await server?.stop();
});

async function setUp(page: Page): Promise<void> {
  await page.getByLabel('Username').fill(account.username);
  await page.getByLabel('Password', { exact: true }).fill(account.password);
  await page.getByLabel('Repeat the password').fill(account.password);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('heading', { name: 'A model' }).waitFor();
  await page.getByRole('button', { name: 'Skip' }).click();
  await page.getByRole('heading', { name: 'A device' }).waitFor();
  await page.getByRole('button', { name: 'Skip' }).click();
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
}

/** The version of the program that a tab runs. */
function versionOf(page: Page): Promise<number> {
  return page
    .evaluate(() => document.querySelector<HTMLScriptElement>('script[type=module]')?.src ?? '')
    .then((src) => Number(/_v(\d+)\./.exec(src)?.[1] ?? -1))
    .catch(() => -1);
}

/** Versions of the kernels that run in this browser. */
async function kernels(): Promise<number[]> {
  const { targetInfos } = await cdp.send('Target.getTargets');
  const workers = targetInfos.filter(({ type }) => type === 'shared_worker');
  return workers.map(({ url }) => Number(/_v(\d+)\./.exec(url)?.[1]));
}

/**
 * Ends the service worker of the older version, as a browser does when it has nothing more to do. It does not while a
 * debugger is attached to it, and what drives these pages attaches to all workers.
 */
class OldWorkers {
  readonly #versions = new Map<number, string>();
  readonly #session: CDPSession;

  constructor(session: CDPSession) {
    this.#session = session;
    session.on('ServiceWorker.workerVersionUpdated', ({ versions }) => {
      for (const { versionId, status } of versions) this.#versions.set(Number(versionId), status);
    });
  }

  async end(): Promise<void> {
    const newest = Math.max(...this.#versions.keys());
    const old = [...this.#versions].filter(([id, status]) => id < newest && status === 'activated');
    for (const [id] of old)
      await this.#session.send('ServiceWorker.stopWorker', { versionId: String(id) }).catch(() => {});
  }
}

const composer = (page: Page) => page.getByRole('textbox', { name: 'Message' });

/**
 * A part that this tab has not loaded yet, or has kept: with the newer version served already, it is still there.
 * By keyboard: for a click it is waited until nothing moves, which a tab behind others learns once a second.
 */
async function visit(page: Page, name: string): Promise<void> {
  await page.getByRole('link', { name, exact: true }).press('Enter');
  await page.getByRole('heading', { name, level: 1 }).waitFor();
  await page.getByRole('link', { name: 'Chat' }).press('Enter');
  await composer(page).waitFor();
}

async function update(version: number): Promise<void> {
  server.serve(version);
  const asking = tabs[version % TABS];
  const other = tabs[(version + 1) % TABS];
  if (!asking || !other) throw new Error('There are not enough tabs');
  await asking.evaluate(async () => (await navigator.serviceWorker.ready).update());
  await visit(other, ['Devices', 'Settings', 'Processes'][version % 3] ?? 'Devices');
  await composer(other).fill(`draft ${version}`);
  await asking.getByText('A new version is ready').waitFor();
  await asking.getByRole('button', { name: 'Update' }).press('Enter');
  const versions = async (): Promise<number[]> => {
    await old.end();
    return Promise.all(tabs.map(versionOf));
  };
  await expect.poll(versions, PATIENT).toEqual(tabs.map(() => version));
  for (const tab of tabs) await composer(tab).waitFor();
  await expect.poll(kernels, PATIENT).toEqual([version]);
  expect(await composer(other).inputValue()).toBe(`draft ${version}`);
}

test(`[U159] ${UPDATES} updates with ${TABS} tabs open: one press moves them all, no part is missed, and one kernel runs, of the newest version`, async () => {
  for (let version = 1; version <= UPDATES; version += 1)
    await withScreenshot(tabs[0] as Page, `update-${version}`, () => update(version));
  expect(server.missed).toEqual([]);
  const caches = async (): Promise<number | undefined> =>
    tabs[0]?.evaluate(() =>
      window.caches.keys().then((names) => names.filter((name) => name.startsWith('gsv-shell-')).length),
    );
  expect(await caches(), 'what is kept of older versions').toBeLessThanOrEqual(2);
  // The last may have come while a tab was on its way: it goes when a page is opened the next time.
  await tabs[0]?.reload();
  await expect.poll(caches, { timeout: STEP_MS }).toBe(1);
}, 600_000);
