import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hashOf } from '../../../scripts/inputs.mjs';

const DAY_MS = 24 * 60 * 60 * 1000;
const root = fileURLToPath(new URL('../../..', import.meta.url));
/** What the page on its scripted kernel is made of. */
const INPUTS = ['web', 'shared', 'tests/support', 'vite.config.ts', 'package-lock.json'];

/** The folder of the page as it is built from the present sources: by whichever test file needs it first, for all. */
export async function builtOnce(): Promise<string> {
  const folder = join(root, 'node_modules', '.cache', 'gsv-ui', hashOf(root, INPUTS).slice(0, 16));
  if (existsSync(folder)) return folder;
  await mkdir(dirname(folder), { recursive: true });
  await forgetOthers(folder);
  const fresh = await mkdtemp(`${folder}-`);
  // Not loaded when there is nothing to build.
  const { buildInto } = await import('./build-page.ts');
  await buildInto(fresh);
  await rename(fresh, folder).catch(async (error: unknown) => {
    await rm(fresh, { recursive: true, force: true });
    // Another test file has built the same meanwhile.
    if (!existsSync(folder)) throw error;
  });
  return folder;
}

/** Younger ones may be in use by another run. */
async function forgetOthers(folder: string): Promise<void> {
  for (const name of await readdir(dirname(folder))) {
    const other = join(dirname(folder), name);
    if (name === basename(folder) || Date.now() - (await stat(other)).mtimeMs < DAY_MS) continue;
    await rm(other, { recursive: true, force: true });
  }
}
