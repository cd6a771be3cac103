import { spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from './build.mjs';
import { ensureInstalled } from './ensure.mjs';
import { root } from './run.mjs';

/** What a change must rest before the room is built again: an editor writes a file in several steps. */
const SETTLE_MS = 150;
/** What the page asks the server for; everything else is Vite's. */
const served = ['/ws', '/relay', '/health', '/push-key', '/gsv.mjs', '/skills.json'];

const { values } = parseArgs({ options: { port: { type: 'string' }, data: { type: 'string' } } });
const port = Number(values.port ?? process.env.PORT ?? 1999);
const serverPort = port + 1;
let server = null;

function startServer() {
  const data = values.data ? ['--data', values.data] : [];
  const file = join(root, 'dist', 'server', 'server.mjs');
  const args = ['--port', String(serverPort), '--public-url', `http://localhost:${port}`, ...data];
  server = spawn(process.execPath, [file, ...args], { stdio: 'inherit' });
}

async function stopServer() {
  const stopping = server;
  server = null;
  if (!stopping || stopping.exitCode !== null || stopping.signalCode !== null) return;
  const exited = new Promise((resolve) => stopping.once('exit', resolve));
  stopping.kill('SIGTERM');
  await exited;
}

async function rebuild() {
  try {
    await build({ only: ['server', 'driver'] });
    await stopServer();
    startServer();
  } catch (error) {
    console.error(error.message);
  }
}

function watchSources() {
  let timer = null;
  let work = Promise.resolve();
  for (const folder of ['sync-server', 'driver', 'shared']) {
    watch(join(root, folder), { recursive: true }, () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        work = work.then(rebuild);
      }, SETTLE_MS);
    });
  }
}

async function startPage() {
  const { createServer } = await import('vite');
  const target = `http://127.0.0.1:${serverPort}`;
  const proxy = Object.fromEntries(served.map((path) => [path, { target, ws: path === '/ws' }]));
  const page = await createServer({
    configFile: join(root, 'vite.config.ts'),
    server: { port, strictPort: true, host: '127.0.0.1', proxy },
  });
  await page.listen();
}

try {
  await ensureInstalled();
  await build();
  // First the page: the room then prints an address that answers.
  await startPage();
  startServer();
  watchSources();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.once(signal, () => stopServer().then(() => process.exit(0)));
  }
} catch (error) {
  console.error(error.message);
  await stopServer();
  process.exitCode = 1;
}
