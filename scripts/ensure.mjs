import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, run, tail } from './run.mjs';

/**
 * Installs the dependencies when they are missing or not those of the lockfile. npm writes its own record of what
 * is installed last of all, so an interrupted installation is seen as missing.
 * Rejects with npm's words when it cannot.
 */
export async function ensureInstalled() {
  if (isInstalled(root)) return;
  console.log('Installing dependencies (npm ci) ...');
  // Development tools are needed to build, whatever NODE_ENV says.
  const { code, output } = await run('npm', ['ci', '--no-audit', '--no-fund', '--include=dev']);
  if (code !== 0) throw new Error(`npm ci failed:\n${npmReason(output)}`);
}

/** npm says the reason first, and how to use npm last. */
function npmReason(output) {
  const lines = output.split('\n').filter((line) => /^npm error \S/.test(line));
  return lines.slice(0, 12).join('\n') || tail(output);
}

/** Whether `node_modules` holds every package of the lockfile in its version. */
export function isInstalled(folder) {
  const wanted = readPackages(join(folder, 'package-lock.json'));
  const present = readPackages(join(folder, 'node_modules', '.package-lock.json'));
  if (!wanted) throw new Error(`package-lock.json in ${folder} cannot be read`);
  if (!present) return false;
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '') return true;
    // A package for another platform is in the lockfile and not on the disk.
    if (!present[path]) return Boolean(entry.optional || entry.devOptional);
    return present[path].version === entry.version && present[path].integrity === entry.integrity;
  });
}

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

const browsers = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** The path of a Chromium on this machine: `CHROMIUM_PATH`, an installed one, or Playwright's; else undefined. */
export async function findChromium() {
  for await (const path of candidates()) return path;
  return undefined;
}

/** What might be one, best first. Playwright, which is slow to load, is asked last. */
async function* candidates() {
  if (process.env.CHROMIUM_PATH) yield process.env.CHROMIUM_PATH;
  yield* browsers.filter((path) => existsSync(path));
  const { chromium } = await import('playwright-core');
  if (existsSync(chromium.executablePath())) yield chromium.executablePath();
}

/** The path of a Chromium that starts, installed when there is none. Rejects with what to do when it cannot. */
export async function ensureChromium() {
  const found = await startable();
  if (found) return found;
  console.log('Installing Chromium for the end-to-end tests ...');
  const problems = [];
  for (const install of [installByApt, installByPlaywright]) {
    const problem = await install();
    const path = problem === null ? await startable() : undefined;
    if (path) return path;
    problems.push(problem ?? 'What was installed does not start.');
  }
  throw new Error(`No Chromium: install one or set CHROMIUM_PATH.\n${problems.join('\n')}`);
}

async function startable() {
  for await (const path of candidates()) {
    if ((await run(path, ['--version'])).code === 0) return path;
  }
  return undefined;
}

async function installByApt() {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return 'apt-get needs Debian and root.';
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  const update = await run('apt-get', ['update'], { env });
  if (update.code !== 0) return `apt-get update failed:\n${tail(update.output, 5)}`;
  const install = await run('apt-get', ['install', '-y', 'chromium'], { env });
  return install.code === 0 ? null : `apt-get install chromium failed:\n${tail(install.output, 5)}`;
}

async function installByPlaywright() {
  const { code, output } = await run('npx', ['playwright-core', 'install', 'chromium']);
  return code === 0 ? null : `playwright-core install chromium failed:\n${tail(output, 5)}`;
}
