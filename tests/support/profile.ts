import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { flags } from './browser-flags.ts';

const STEP_MS = 20_000;

/** A browser profile on disk, which outlives the browser: closing it and opening it again is a cold start. */
export class Profile {
  readonly #folder = mkdtempSync(join(tmpdir(), 'gsv-profile-'));
  #context: BrowserContext | null = null;

  /** Starts the browser, with the network cut when it is `offline`. */
  async launch(
    options: { offline?: boolean; args?: string[]; size?: { width: number; height: number } } = {},
  ) {
    const { offline = false, args = [], size = { width: 1360, height: 860 } } = options;
    const executablePath = process.env.CHROMIUM_PATH ?? '';
    this.#context = await chromium.launchPersistentContext(this.#folder, {
      executablePath,
      args: [...flags, ...args],
      viewport: size,
      offline,
    });
    this.#context.setDefaultTimeout(STEP_MS);
    return this.#context;
  }

  /** Ends the browser with everything that runs in it. */
  async close(): Promise<void> {
    await this.#context?.close();
    this.#context = null;
  }

  async remove(): Promise<void> {
    await this.close();
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Waits until the whole build is kept in this browser: the page opens without its server from here on. */
export async function kept(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
    const wanted = (await (await fetch('/sw.js')).text()).matchAll(/"url":"([^"]+)","when":"(first|later)"/g);
    const paths = [...wanted].map(([, url]) => `/${url}`);
    for (;;) {
      const found = await Promise.all(paths.map((path) => caches.match(path)));
      if (found.every((response) => response !== undefined)) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  });
}
