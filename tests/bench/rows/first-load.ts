import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { World } from '../../support/world.ts';
import { type Row, rowOf } from '../row.ts';
import { distDir } from '../site.ts';

/** The reference system's page, gzipped, in kB (DESIGN 8). */
const REFERENCE_KB = 366;
const BUDGET_KB = 150;
const WORKER = /\/assets\/kernel-worker-/;

/** What the page fetches until its first view works, gzipped; the kernel's worker is counted apart. */
export async function firstLoad(): Promise<Row[]> {
  const world = await World.start();
  try {
    const { page } = await world.open();
    await page.getByLabel('Username').waitFor();
    const setup = await fetched(page);
    await world.setUp(page);
    await page.reload();
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    return [rowFor('setup', setup), rowFor('chat', await fetched(page))];
  } finally {
    await world.stop();
  }
}

function rowFor(view: string, files: string[]): Row {
  const bytes = files.reduce(
    (sum, path) => sum + gzipSync(readFileSync(join(distDir, 'page', path))).length,
    0,
  );
  const peer = "the reference system's page, before its first view";
  const described = { name: `first load, ${view} view, gzipped`, peer, unit: 'kB' as const };
  return rowOf({ ...described, budget: Number((BUDGET_KB / REFERENCE_KB).toFixed(3)) }, [
    { ours: bytes / 1000, theirs: REFERENCE_KB },
  ]);
}

/** Paths of the files that this page has loaded, from the network or from its cache. What else it asked the server is none. */
async function fetched(page: Page): Promise<string[]> {
  const paths = await page.evaluate(() =>
    performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname),
  );
  const isFile = (path: string): boolean => !WORKER.test(path) && existsSync(join(distDir, 'page', path));
  return ['/index.html', ...new Set(paths.filter(isFile))];
}
