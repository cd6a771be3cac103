import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';
import { flags } from './browser-flags.ts';

/** Where pictures of failed tests are kept. */
const SHOTS = '/tmp/gsv-screenshots';

/**
 * Starts Chromium: the one at `CHROMIUM_PATH`, which vitest's configuration sets. The caller closes it.
 * Rejects when there is none. `args` are further flags.
 */
export async function launchBrowser(args: string[] = []): Promise<Browser> {
  const executablePath = process.env.CHROMIUM_PATH;
  if (!executablePath) throw new Error('CHROMIUM_PATH names no Chromium; `npm test` installs one');
  return chromium.launch({ executablePath, args: [...flags, ...args] });
}

/** What went wrong in a page since it was opened. */
export type PageProblems = {
  /** `console.error` and exceptions that nobody caught. */
  readonly errors: string[];
  /** Content security policy violations, of scripts of the page and of its workers. */
  readonly violations: string[];
  /** Addresses that the page asked outside of its own origin. */
  readonly foreign: string[];
};
export type OpenPage = { page: Page; context: BrowserContext; problems: PageProblems };
export type PageOptions = BrowserContextOptions & {
  /** Use this context (a second tab of one browser profile) instead of a new one. */
  context?: BrowserContext;
};

/** Opens an address in a new profile, or as one more tab of a given one, and collects what goes wrong there. */
export async function openPage(browser: Browser, url: string, options: PageOptions = {}): Promise<OpenPage> {
  const { context: given, ...contextOptions } = options;
  const context = given ?? (await browser.newContext(contextOptions));
  const page = await context.newPage();
  const problems = watchPage(page, new URL(url).origin);
  await page.goto(url);
  return { page, context, problems };
}

function watchPage(page: Page, origin: string): PageProblems {
  const problems = { errors: [] as string[], violations: [] as string[], foreign: [] as string[] };
  page.on('console', (message) => {
    if (message.type() !== 'error') return;
    const violation = /content security policy|trusted type/i.test(message.text());
    (violation ? problems.violations : problems.errors).push(message.text());
  });
  page.on('pageerror', (error) => problems.errors.push(error.message));
  page.on('request', (request) => {
    const url = new URL(request.url());
    const own = url.origin === origin || url.protocol === 'blob:' || url.protocol === 'data:';
    if (!own) problems.foreign.push(request.url());
  });
  return problems;
}

/**
 * Runs a test's steps and keeps a picture of the page when they fail: the error names the file.
 * `name` becomes the file's name.
 */
export async function withScreenshot<T>(page: Page, name: string, steps: () => Promise<T>): Promise<T> {
  try {
    return await steps();
  } catch (error) {
    const path = join(SHOTS, `${name.replaceAll(/[^a-z0-9]+/gi, '-')}.png`);
    mkdirSync(SHOTS, { recursive: true });
    const kept = await page.screenshot({ path }).then(
      () => `screenshot: ${path}`,
      (reason: Error) => `no screenshot: ${reason.message}`,
    );
    if (error instanceof Error) error.message += `\n${kept}`;
    throw error;
  }
}
