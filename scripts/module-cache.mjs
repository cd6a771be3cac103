import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { hashOf } from './inputs.mjs';
import { root } from './run.mjs';

const DAY = 24 * 60 * 60 * 1000;
const place = join('node_modules', '.cache', 'vitest');

/** What a transformed module follows from, besides its own text and vitest's configuration, which vitest compares. */
const followsFrom = [
  'tsconfig.base.json',
  ...['shared', 'web', 'sync-server', 'driver', 'tests'].map((program) => `${program}/tsconfig.json`),
  'package-lock.json',
  'node_modules/.package-lock.json',
];

/** The folder for the modules that vitest has transformed: another one when compiler options or packages are others. */
export function moduleCache(folder = root) {
  return join(folder, place, hashOf(folder, followsFrom).slice(0, 16));
}

/** Of every version of every module that was ever tested, those of the last two weeks stay. */
export function forgetOldModules(folder = root, now = Date.now()) {
  for (const file of filesOf(join(folder, place))) {
    if (now - statSync(file).mtimeMs > 14 * DAY) rmSync(file, { force: true });
  }
}

function filesOf(folder) {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  } catch {
    return [];
  }
}
