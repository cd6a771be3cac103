import { join } from 'node:path';
import { build } from './build.mjs';
import { ensureChromium, ensureInstalled } from './ensure.mjs';
import { root, run } from './run.mjs';

/** `npm run bench [row ...]`: measures the rows whose group is named, or all, against their peers. */
try {
  await ensureInstalled();
  process.env.CHROMIUM_PATH = await ensureChromium();
  await build();
  const { runnerImport } = await import('vite');
  const { module } = await runnerImport(join(root, 'tests/bench/main.ts'), { root, configFile: false });
  await module.main(process.argv.slice(2));
  await run(process.execPath, [
    'node_modules/@biomejs/biome/bin/biome',
    'format',
    '--write',
    'tests/bench/results.json',
  ]);
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}
