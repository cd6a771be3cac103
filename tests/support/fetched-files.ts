import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { builtPage, gzippedSize } from './precache.ts';

const WORKER = /kernel-worker|sw\.js/;

/**
 * Gzipped bytes of the built files that a page has loaded until now, from the network or from its cache: workers apart,
 * and what else it asked the server is none.
 */
export async function fetchedBytes(page: Page): Promise<number> {
  const paths = await page.evaluate(() =>
    performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname),
  );
  const isFile = (path: string): boolean => !WORKER.test(path) && existsSync(join(builtPage, path));
  const files = new Set(['/index.html', ...paths.filter(isFile)]);
  return [...files].reduce((sum, path) => sum + gzippedSize(path), 0);
}
