import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './run.mjs';

/**
 * Imports a TypeScript module of the repository into a script: bundled to one temporary file with everything it
 * imports. `file` is relative to the root. Rejects when it cannot be built.
 */
export async function loadTs(file) {
  const { build } = await import('rolldown');
  const folder = mkdtempSync(join(tmpdir(), 'gsv-load-'));
  try {
    const out = join(folder, 'module.mjs');
    await build({
      input: join(root, file),
      platform: 'node',
      logLevel: 'silent',
      output: { file: out, format: 'esm' },
    });
    return await import(pathToFileURL(out).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
