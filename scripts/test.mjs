import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from './build.mjs';
import { ensureChromium, ensureInstalled } from './ensure.mjs';
import { forgetOldModules } from './module-cache.mjs';
import { run } from './run.mjs';
import { add, countsOf, lastLine, none } from './test-counts.mjs';

const quick = process.argv.includes('--quick');
const MINUTE = 60_000;
/** A run that hangs is a failure: after this long it is ended. */
const limits = {
  unit: 5 * MINUTE,
  contract: 8 * MINUTE,
  sim: 8 * MINUTE,
  e2e: 30 * MINUTE,
  measured: 10 * MINUTE,
};
/** What the engine is told before the tests of a project. */
const OPTIMIZE_LATE = ['--import', './scripts/optimize-late.mjs'];
const engineOptions = { unit: OPTIMIZE_LATE, contract: OPTIMIZE_LATE };
const programs = ['shared', 'web', 'sync-server', 'driver', 'tests'];

/** A check that passes or fails as a whole; it counts as one test. */
async function gate(name, check, say = console.log) {
  const started = Date.now();
  const problem = await check().then(
    (text) => text ?? null,
    (error) => (error instanceof Error ? error.message : String(error)),
  );
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  say(problem === null ? `ok      ${name} (${seconds} s)` : `FAILED  ${name} (${seconds} s)\n${problem}`);
  return { ...none, [problem === null ? 'passed' : 'failed']: 1 };
}

/** Undefined when the program ended well, else everything it printed. */
async function problemOf(command, args) {
  const { code, output } = await run(command, args, { givesWay: true });
  return code === 0 ? undefined : output || `${command} ended with ${code}`;
}

function tool(path, ...args) {
  return problemOf(process.execPath, [join('node_modules', path), ...args]);
}

/** What is found without running anything. One program after the other: each fills more than one core by itself. */
async function staticChecks(say) {
  const lint = () => tool('@biomejs/biome/bin/biome', 'ci', '--colors=off', '.');
  const results = [await gate('format and lint', lint, say)];
  for (const program of programs) {
    // What has not changed is not checked again.
    const known = join('node_modules', '.cache', 'tsc', `${program}.tsbuildinfo`);
    const options = ['-p', program, '--incremental', '--tsBuildInfoFile', known];
    results.push(await gate(`typecheck ${program}`, () => tool('typescript/bin/tsc', ...options), say));
  }
  return results;
}

/** Runs the tests of one project. `collect` prints what they said when they have ended, for a run beside others. */
async function suite(project, output) {
  const heading = `\n--- ${project} tests`;
  if (output === 'show') console.log(heading);
  const folder = mkdtempSync(join(tmpdir(), 'gsv-test-'));
  const report = join(folder, 'report.json');
  const args = ['run', '--project', project, '--allowOnly=false', '--reporter=default', '--reporter=json'];
  const command = [
    ...(engineOptions[project] ?? []),
    'node_modules/vitest/vitest.mjs',
    ...args,
    `--outputFile.json=${report}`,
  ];
  try {
    const options = { output, limitMs: limits[project], givesWay: project === 'unit' };
    const { code, output: said } = await run(process.execPath, command, options);
    if (output === 'collect') console.log(`${heading}\n${said}`);
    if (code === 124)
      console.log(`The ${project} tests were ended after ${limits[project] / MINUTE} minutes.`);
    return countsOf(readReport(report), code);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

async function everything() {
  let total = none;
  const count = (...results) => {
    total = add(total, ...results);
    return results.every((result) => result.failed === 0);
  };
  if (!count(await gate('install', ensureInstalled))) return total;
  forgetOldModules();
  const browser = quick || count(await gate('chromium', useChromium));
  const built = count(await gate('build', () => build()));
  // The contract tests mostly wait for their servers, and have to answer in time: what runs beside them gives way.
  const contract = suite('contract', 'collect');
  const said = [];
  const checks = staticChecks((line) => said.push(line));
  count(await suite('unit', 'show'));
  count(...(await checks));
  for (const line of said) console.log(line);
  count(await contract);
  if (quick) return total;
  count(await suite('sim', 'show'));
  if (browser && built) {
    count(await suite('e2e', 'show'));
    count(await suite('measured', 'show'));
  } else count(await gate('e2e', async () => 'not run: there is no Chromium, or the build failed'));
  return total;
}

async function useChromium() {
  process.env.CHROMIUM_PATH = await ensureChromium();
}

const total = await everything();
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;
console.log(`\n${lastLine(total)}`);
