import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

const here = dirname(fileURLToPath(import.meta.url));

/**
 * Writes `room.mjs`, the worker, and `server.mjs`, the program that runs it, into `outDir`.
 * Rejects with the bundler's words.
 */
export async function bundleRoom(outDir) {
  mkdirSync(outDir, { recursive: true });
  await Promise.all([
    bundle('hosts/partyserver.ts', join(outDir, 'room.mjs'), {
      platform: 'neutral',
      external: [/^(cloudflare|node):/],
      resolve: {
        mainFields: ['module', 'main'],
        conditionNames: ['workerd', 'worker', 'import', 'module', 'default'],
      },
    }),
    bundle('hosts/node/main.ts', join(outDir, 'server.mjs'), { platform: 'node', external: ['workerd'] }),
  ]);
}

function bundle(entry, file, options) {
  return build({
    input: join(here, entry),
    logLevel: 'warn',
    ...options,
    output: { file, format: 'esm', codeSplitting: false },
  });
}
