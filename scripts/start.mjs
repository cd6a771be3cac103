import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from './build.mjs';
import { ensureInstalled } from './ensure.mjs';
import { root } from './run.mjs';

try {
  await ensureInstalled();
  await build();
  // The server runs in this process: it gets the signals and the arguments itself, and nothing outlives it.
  const server = join(root, 'dist', 'server', 'server.mjs');
  process.argv[1] = server;
  await import(pathToFileURL(server).href);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
