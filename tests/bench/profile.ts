import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { flags } from '../support/browser-flags.ts';
import { account } from '../support/world.ts';
import type { BenchPage, ModelSettings } from './page/api.ts';
import type { BenchSite } from './site.ts';

type Method = keyof BenchPage;

/** A browser profile on disk, with a GSV of its own; `page` is the tab of now. */
export class Profile {
  readonly #site: BenchSite;
  readonly #context: BrowserContext;
  #page: Page | null = null;

  private constructor(site: BenchSite, context: BrowserContext) {
    this.#site = site;
    this.#context = context;
  }

  /** A fresh profile. Its storage is on disk: that of Playwright's usual contexts is not. */
  static async start(site: BenchSite): Promise<Profile> {
    const context = await chromium.launchPersistentContext(site.folder('profile'), {
      executablePath: process.env.CHROMIUM_PATH ?? '',
      args: flags,
    });
    return new Profile(site, context);
  }

  /** A fresh profile with a GSV that is set up. */
  static async setUp(site: BenchSite, model?: ModelSettings): Promise<Profile> {
    const profile = await Profile.start(site);
    await profile.open();
    await profile.run('setUp', account, model ?? null);
    return profile;
  }

  /** A new tab; the one before is closed, and the kernel with it. */
  async open(): Promise<void> {
    const page = await this.visit('/bench/');
    await page.waitForFunction(() => 'bench' in globalThis);
  }

  /** A new tab at this path, also one of the page itself; the tab before is closed, and the kernel with it. */
  async visit(path: string): Promise<Page> {
    const previous = this.#page;
    const page = await this.#context.newPage();
    this.#page = page;
    await previous?.close();
    await page.goto(this.#site.url + path);
    return page;
  }

  /** Calls the bench page. */
  async run<Name extends Method>(
    name: Name,
    ...args: Parameters<BenchPage[Name]>
  ): Promise<Awaited<ReturnType<BenchPage[Name]>>> {
    if (!this.#page) throw new Error('No tab is open');
    const result = await this.#page.evaluate(
      ({ method, given }) => {
        const { bench } = globalThis as unknown as {
          bench: Record<string, (...given: unknown[]) => unknown>;
        };
        return bench[method]?.(...given);
      },
      { method: name as string, given: args as unknown[] },
    );
    return result as Awaited<ReturnType<BenchPage[Name]>>;
  }

  /** A new tab with a kernel that has just started. Resolves to the milliseconds from nothing to signed in. */
  async restart(): Promise<number> {
    await this.open();
    return this.run('boot');
  }

  stop(): Promise<void> {
    return this.#context.close();
  }
}
