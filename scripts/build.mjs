import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureInstalled } from './ensure.mjs';
import { hashOf } from './inputs.mjs';
import { root, run, tail } from './run.mjs';

const dist = join(root, 'dist');

/** What is built, from what, into what. Paths are relative to the root; a missing input counts as empty. */
const parts = [
  {
    name: 'page',
    inputs: [
      ...['web', 'shared', 'public', 'skills', 'vite.config.ts', 'package-lock.json'],
      ...['scripts/precache.mjs', 'scripts/skills.mjs', 'sync-server/http/headers.ts'],
    ],
    outputs: ['dist/page/index.html', 'dist/page/sw.js', 'dist/page/skills.json'],
    make: buildPage,
  },
  {
    name: 'server',
    inputs: ['sync-server', 'shared', 'package-lock.json'],
    outputs: ['dist/server/room.mjs', 'dist/server/server.mjs'],
    make: async () => (await import('../sync-server/bundle.mjs')).bundleRoom(join(dist, 'server')),
  },
  {
    name: 'driver',
    inputs: ['driver', 'shared', 'package-lock.json'],
    outputs: ['dist/gsv.mjs'],
    make: async () => (await import('../driver/bundle.mjs')).bundleDriver(join(dist, 'gsv.mjs')),
  },
];

/**
 * Builds what is stale into `dist/`: the page, the server with its room, and the driver.
 * Rejects with the words of the tool that failed.
 * @param {{force?: boolean, only?: string[]}} [options] `force` builds everything; `only` names parts.
 */
export async function build({ force = false, only } = {}) {
  mkdirSync(dist, { recursive: true });
  const wanted = parts.filter((part) => !only || only.includes(part.name));
  const results = await Promise.allSettled(wanted.map((part) => buildPart(part, force)));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}

async function buildPart(part, force) {
  const stamp = join(dist, `.stamp-${part.name}`);
  const hash = hashOf(root, part.inputs);
  const complete = part.outputs.every((output) => existsSync(join(root, output)));
  if (!force && complete && existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
  const started = Date.now();
  // Gone while the part is being built, so that an interrupted build is done again.
  rmSync(stamp, { force: true });
  try {
    await part.make();
  } catch (error) {
    throw new Error(`Building the ${part.name} failed: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    });
  }
  writeFileSync(stamp, hash);
  console.log(`Built the ${part.name} in ${((Date.now() - started) / 1000).toFixed(1)} s.`);
}

async function buildPage() {
  // Its own process: Vite sets NODE_ENV for everything that is started afterwards.
  const { code, output } = await run(process.execPath, [
    'node_modules/vite/bin/vite.js',
    'build',
    '--logLevel',
    'warn',
  ]);
  if (code !== 0) throw new Error(`vite build\n${tail(output)}`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    await ensureInstalled();
    await build({ force: process.argv.includes('--force') });
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
