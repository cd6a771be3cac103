import type { Browser, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { launchBrowser, type OpenPage, openPage, type PageOptions, withScreenshot } from '../browser.ts';
import { buildPage } from './built-page.ts';
import type { Fixture } from './in-page.ts';

export const DESKTOP = { viewport: { width: 1360, height: 860 } };
export const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true };

export type PageAlone = {
  /** Opens an address of the page, does the steps, and expects that nothing went wrong that the page should not do. */
  visit(
    name: string,
    path: string,
    steps: (page: Page, opened: OpenPage) => Promise<void>,
    options?: PageOptions,
  ): Promise<void>;
  close(): Promise<void>;
};

/** A name under which the page is reached that is not this computer's own. */
const ELSEWHERE = 'gsv.test';

/**
 * The page built as for production, under its strict policy, on a scripted kernel. Addresses that begin with
 * `//elsewhere` reach it under a name that is not this computer's own.
 */
export async function startPageAlone(): Promise<PageAlone> {
  const [built, browser] = await Promise.all([
    buildPage(),
    launchBrowser([`--host-resolver-rules=MAP ${ELSEWHERE} 127.0.0.1`]),
  ]);
  const { port } = new URL(built.url);
  const addressOf = (path: string): string =>
    path.startsWith('//elsewhere')
      ? path.replace('//elsewhere', `http://${ELSEWHERE}:${port}`)
      : built.url + path;
  return {
    visit: (name, path, steps, options = DESKTOP) => visit(browser, name, addressOf(path), steps, options),
    async close() {
      await browser.close();
      await built.close();
    },
  };
}

async function visit(
  browser: Browser,
  name: string,
  url: string,
  steps: (page: Page, opened: OpenPage) => Promise<void>,
  options: PageOptions,
): Promise<void> {
  const opened = await openPage(browser, url, { reducedMotion: 'reduce', ...options });
  await withScreenshot(opened.page, name, () => steps(opened.page, opened));
  expect(opened.problems).toEqual({ errors: [], violations: [], foreign: [] });
  await opened.context.close();
}

export function log(page: Page): Locator {
  return page.getByRole('log');
}

export function button(page: Page, name: string): Locator {
  return page.getByRole('button', { name, exact: true });
}

/** The arguments of every call of a syscall that the page has made. */
export function calls(page: Page, name: string): Promise<unknown[]> {
  return page.evaluate(
    (wanted) =>
      (window as unknown as Fixture).gsv.calls
        .filter((call) => call.name === wanted)
        .map((call) => call.args),
    name,
  );
}

export function dialog(page: Page): Locator {
  return page.getByRole('dialog');
}

/** Changes fields of a row of the script, or makes one. */
export function patchRow(
  page: Page,
  view: string,
  key: string,
  change: Record<string, unknown>,
): Promise<void> {
  return page.evaluate(
    ([name, at, fields]) => {
      const { gsv } = window as unknown as Fixture;
      gsv.put(name, { [at]: { ...gsv.scene.views[name]?.get(at), ...fields } });
    },
    [view, key, change] as const,
  );
}
