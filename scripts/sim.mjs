import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureInstalled } from './ensure.mjs';
import { root } from './run.mjs';

/**
 * `npm run sim -- --seeds 2000 [--seed 17] [--ops 500] [--kinds send,flow,cut] [--no-shrink] [--trace 200]`: runs the
 * simulation on every processor and shrinks what fails. `--program "17 send:9x2 …"` runs one program and shows all of it;
 * with `--hostile` the seeds are of a room that deceives.
 */
const MOST = 8;

async function bundle(folder) {
  const { build } = await import('rolldown');
  const file = join(folder, 'sim.mjs');
  await build({
    input: join(root, 'tests/sim/command/main.ts'),
    platform: 'node',
    logLevel: 'silent',
    output: { file, format: 'esm', codeSplitting: false },
  });
  return pathToFileURL(file).href;
}

/** Resolves with whether all runs of this part passed. */
function runPart(module, args) {
  const code = `import(${JSON.stringify(module)}).then(async ({ main }) => { process.exitCode = (await main(${JSON.stringify(args)})) > 0 ? 1 : 0; })`;
  const child = spawn(process.execPath, [...process.execArgv, '--input-type=module', '-e', code], {
    stdio: 'inherit',
  });
  return new Promise((resolve) => child.on('close', (status) => resolve(status === 0)));
}

function partsOf(args) {
  const first = Number(args[args.indexOf('--seed') + 1]) || 1;
  const seeds = args.includes('--seeds') ? Number(args[args.indexOf('--seeds') + 1]) : MOST;
  const parts = args.includes('--program') ? 1 : Math.min(MOST, availableParallelism(), Math.max(1, seeds));
  const given = args.includes('--seed') ? args : [...args, '--seed', '1'];
  return Array.from({ length: parts }, (_, at) => {
    const own = given.map((arg, place) => (given[place - 1] === '--seed' ? String(first + at) : arg));
    return [...own, '--step', String(parts)];
  });
}

const folder = mkdtempSync(join(tmpdir(), 'gsv-sim-'));
try {
  await ensureInstalled();
  const module = await bundle(folder);
  const passed = await Promise.all(partsOf(process.argv.slice(2)).map((args) => runPart(module, args)));
  process.exitCode = passed.every(Boolean) ? 0 : 1;
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
