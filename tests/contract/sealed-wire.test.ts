import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningDriver, runGsv, startDriver } from '../support/driver.ts';
import { filesWith } from '../support/find-secret.ts';
import { ADA, TestKernel, type TestPage } from '../support/kernel.ts';
import { nodeDialer } from '../support/node-dialer.ts';
import { startServer, type TestServer, waitFor } from '../support/server.ts';

let server: TestServer;
let kernel: TestKernel;
let page: TestPage;
let driver: RunningDriver;
let start: () => Promise<RunningDriver>;
const home = mkdtempSync(join(tmpdir(), 'gsv-wire-'));

beforeAll(async () => {
  server = await startServer();
  kernel = await new TestKernel(undefined, { dialer: nodeDialer(server.socketUrl) }).boot();
  page = kernel.page();
  await page.call('sys.setup', { ...ADA, sealed: true });
  await page.connect();
  await page.call('sys.join', { secret: server.claimSecret });
  const wanted = { kind: 'node', allowedDeviceId: 'box' } as const;
  const { token } = (await page.call('sys.token.create', wanted)).token;
  const place = { url: server.url, id: 'box', workspace: home, stateDir: join(home, 'state') };
  start = () => startDriver({ ...place, token, args: ['--user', 'ada'] });
  driver = await start();
  await driver.waitConnected();
  await waitFor(async () => (await page.call('sys.device.list', {})).devices.length > 0, 'the device');
});
afterAll(async () => {
  await driver?.stop();
  await kernel?.kernel.stop();
  await server?.stop();
  rmSync(home, { recursive: true, force: true });
});

const run = (input: string) => page.call('shell.exec', { target: 'box', input });

test('[D81] a page of a sealed GSV commands a device by way of the real room, which keeps nothing of it, also after its driver was started again', async () => {
  expect(await run('echo planted; exit 3')).toMatchObject({ output: 'planted\n', exitCode: 3 });
  await driver.stop();
  driver = await start();
  await driver.waitConnected();
  const again = async () => JSON.stringify(await run('echo planted again').catch(() => null));
  await waitFor(async () => (await again()).includes('planted again'), 'the device answers again');
  expect(filesWith(server.dataDir, 'box')).not.toEqual([]);
  expect(filesWith(server.dataDir, 'planted')).toEqual([]);
});

test('[D81] what is told to a sealed GSV while no browser is open waits sealed at the real room, and is delivered', async () => {
  const { token } = (await page.call('sys.token.create', { kind: 'user' })).token;
  await waitFor(async () => (await page.call('sys.status', {})).waiting === 0, 'all is stored');
  await kernel.kernel.stop();
  const environment = { GSV_URL: server.url, GSV_USER: 'ada', GSV_TOKEN: token };
  const tell = () => runGsv(['tell', 'planted', 'words'], environment);
  await waitFor(async () => (await tell()).stdout.startsWith('Kept'), 'the browser is away');
  expect(filesWith(server.dataDir, 'planted')).toEqual([]);
  await kernel.boot();
  page = kernel.page();
  await page.connect();
  const told = async () => JSON.stringify(await page.call('proc.history', { limit: 100 }));
  await waitFor(async () => (await told()).includes('planted words'), 'it is delivered');
  expect(await told()).toContain('The server could have written it itself');
});
