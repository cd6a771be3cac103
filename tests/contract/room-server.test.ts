import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { get, type IncomingHttpHeaders } from 'node:http';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { controlTables } from '../../shared/state/control.ts';
import { ROW_BYTES } from '../../shared/state/row-codec.ts';
import { claimRoom, tokens } from '../support/claimed-room.ts';
import { RoomClient } from '../support/room-client.ts';
import { builtServer, type ServerOptions, startServer, type TestServer, waitFor } from '../support/server.ts';

const running: TestServer[] = [];
let distDir: string;

beforeAll(() => {
  distDir = mkdtempSync(join(tmpdir(), 'gsv-server-dist-'));
  symlinkSync(builtServer, join(distDir, 'server'));
  writePage(join(distDir, 'page'));
  writeFileSync(join(distDir, 'gsv.mjs'), 'console.log("driver");\n');
});
afterEach(async () => {
  for (const server of running.splice(0)) await server.stop().catch(() => {});
});
afterAll(() => rmSync(distDir, { recursive: true, force: true }));

async function start(options: ServerOptions = {}): Promise<TestServer> {
  const server = await startServer({ distDir, ...options });
  running.push(server);
  return server;
}

test('[R130] the longest row that a replica stores reaches another one; a longer message closes its own socket', async () => {
  const room = await claimRoom(await start());
  const [client, reader] = [await room.kernel('replica-2'), await room.kernel('replica-3')];
  const [doc, copy] = [new Y.Doc(), new Y.Doc()];
  const sync = await client.sync('scratch/longest', doc);
  const row = 'x'.repeat(ROW_BYTES);
  doc.getMap('rows').set('longest', row);
  await sync.settled();
  await (await reader.sync('scratch/longest', copy)).settled();
  expect(copy.getMap('rows').get('longest') === row).toBe(true);
  doc.getMap('rows').set('longer', 'x'.repeat(17 * 2 ** 20));
  expect(await client.closed()).toMatchObject({ reason: 'sync message is too long' });
  expect(reader.peer.closed).toBe(false);
  await reader.close();
});

test('[R202] it may listen on an IPv6 address, and answers under it', async () => {
  const server = await start({ args: ['--host', '::ffff:127.0.0.1'] });
  expect((await fetch(`http://[::ffff:127.0.0.1]:${server.port}/health`)).status).toBe(200);
});

describe('durability', () => {
  test('[R50] what was acknowledged is there after kill -9 of workerd, and the claim stands', async () => {
    const server = await start();
    const room = await claimRoom(server);
    for (let at = 0; at < 5; at += 1)
      await room.change((tables) => tables.config.put(`config/server/${at}`, { value: `${at}` }));
    await server.killWorkerd();
    expect(server.printed()).toContain('workerd ended; starting it again');
    expect(await (await fetch(`${server.url}/health`)).json()).toMatchObject({ claimed: true });
    const kernel = await RoomClient.open(server.socketUrl);
    await kernel.connect({ id: 'replica-1', role: 'service', username: 'root', token: tokens.replica });
    const copy = new Y.Doc();
    await (await kernel.sync('control', copy)).settled();
    const values = [0, 1, 2, 3, 4].map((at) => controlTables(copy).config.get(`config/server/${at}`)?.value);
    expect(values).toEqual(['0', '1', '2', '3', '4']);
    await kernel.close();
  });

  test('[R51] after a restart devices are offline until they connect, shell sessions are still known', async () => {
    const server = await start();
    const room = await claimRoom(server);
    const running = { status: 'running', output: '', sessionId: 'kept' };
    await room.driver('desk', async () => ({ data: running }));
    await (await room.user('alice')).call('shell.exec', { input: 'sleep 9', target: 'desk' });
    await server.killWorkerd();
    const alice = await room.user('alice');
    const poll = () => alice.call('shell.exec', { input: '', sessionId: 'kept' });
    await expect(poll()).rejects.toMatchObject({ code: 503, message: 'Device offline: desk' });
    expect((await alice.call('sys.device.get', { deviceId: 'desk' })).data).toMatchObject({
      device: { online: false },
    });
    await room.driver('desk', async () => ({ data: running }));
    expect((await poll()).data).toEqual(running);
  });

  test('[R52] a server killed with -9 leaves no workerd behind and starts again on its data', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'gsv-data-'));
    const first = await start({ dataDir });
    await claimRoom(first);
    const workerd = first.workerdPid();
    await first.kill();
    await waitFor(() => !isRunning(workerd), 'workerd to end with its supervisor');
    const second = await start({ dataDir, port: first.port });
    expect(second.port).toBe(first.port);
    expect(second.claimLink).toBeNull();
    await second.stop();
    rmSync(dataDir, { recursive: true });
  });

  test('[R53] the claim secret survives restarts and is for its owner only', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'gsv-data-'));
    const first = await start({ dataDir });
    expect(first.claimSecret).toMatch(/^gsv_claim_[\w-]{43}$/);
    expect(first.claimLink).toBe(`${first.url}/#claim=${first.claimSecret}`);
    await first.stop();
    const second = await start({ dataDir });
    expect(second.claimSecret).toBe(first.claimSecret);
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
    expect(statSync(join(dataDir, 'claim')).mode & 0o777).toBe(0o600);
    await second.stop();
    rmSync(dataDir, { recursive: true });
  });
});

describe('starting', () => {
  test('[R54] a port that is taken and a port that is none are said in a sentence', async () => {
    const taken: Server = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as { port: number };
    await expect(start({ port })).rejects.toThrow(`127.0.0.1:${port} is taken by another program`);
    await expect(start({ args: ['--port', 'seven'] })).rejects.toThrow('Not a port: seven');
    taken.close();
  });

  test('[R69] what is printed is the address, then the claim link, as people reach the server', async () => {
    const direct = await start();
    const { url, claimLink } = direct;
    expect(direct.printed()).toBe(`GSV runs at ${url}\nIt has no owner yet. Claim it: ${claimLink}\n`);
    await direct.stop();
    const behind = await start({ args: ['--public-url', 'https://gsv.example:8443/'] });
    expect(behind.printed()).toMatch(
      /^GSV runs at https:\/\/gsv\.example:8443\n.*: https:\/\/gsv\.example:8443\/#claim=/,
    );
    await behind.stop();
    await expect(start({ args: ['--public-url', 'gsv'] })).rejects.toThrow('Not an address of the web: gsv');
  });

  test('[R55] Ctrl-C ends everything that was started', async () => {
    const server = await start();
    const below = execFileSync('ps', ['-o', 'pid=', '--ppid', String(server.pid)], { encoding: 'utf8' })
      .trim()
      .split(/\s+/)
      .map(Number);
    const workerd = server.workerdPid();
    await server.stop();
    await waitFor(() => ![...below, workerd].some(isRunning), 'every process to end');
  });
});

describe('the page', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ distDir });
  });
  afterAll(() => server.stop());

  test('[R56] files have their type and caching; hashed ones are immutable, others are asked for again', async () => {
    const index = await load(server, '/');
    expect([index.status, index.text]).toEqual([200, '<!doctype html><title>GSV</title>']);
    expect(index.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
    });
    const script = await load(server, '/assets/main-1a2b3c.js');
    expect(script.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': expect.stringContaining('immutable'),
    });
    expect(script.headers['content-security-policy']).toContain("require-trusted-types-for 'script'");
    const icon = await load(server, '/icon.svg');
    expect(icon.headers).toMatchObject({ 'content-type': 'image/svg+xml', 'cache-control': 'no-cache' });
    const driver = await load(server, '/gsv.mjs');
    expect([driver.headers['content-type'], driver.text]).toEqual([
      'text/javascript; charset=utf-8',
      'console.log("driver");\n',
    ]);
  });

  test('[R57] an address that a person opens shows the page, a missing file is missing', async () => {
    const page = await load(server, '/processes/p1', { 'sec-fetch-mode': 'navigate' });
    expect([page.status, page.text]).toEqual([200, '<!doctype html><title>GSV</title>']);
    expect((await load(server, '/processes/p1', { accept: 'text/html' })).status).toBe(200);
    for (const path of [
      '/assets/gone.js',
      '/assets',
      '/assets/',
      '/server/room.mjs',
      '/..%2fserver/room.mjs',
      '/.env',
    ]) {
      expect((await load(server, path, { 'sec-fetch-mode': 'no-cors' })).status, path).toBe(404);
    }
  });

  test('[R203] an address that no file can have is a missing file, with the headers of every answer', async () => {
    for (const path of ['/%zz.js', '/%00.js', `/${'a'.repeat(5000)}.js`, `${'/a'.repeat(2000)}.js`]) {
      const { status, headers } = await load(server, path);
      expect(status, path.slice(0, 20)).toBe(404);
      expect(headers['content-security-policy'], path.slice(0, 20)).toContain("default-src 'none'");
    }
  });

  test('[R58] text is compressed for those who can read it', async () => {
    const plain = await load(server, '/assets/main-1a2b3c.js');
    expect(plain.headers['content-encoding']).toBeUndefined();
    const small = await load(server, '/assets/main-1a2b3c.js', { 'accept-encoding': 'gzip, br' });
    expect(small.headers['content-encoding']).toBe('gzip');
    expect(small.bytes.length).toBeLessThan(plain.bytes.length / 4);
    expect(gunzipSync(small.bytes).toString()).toBe(plain.text);
    expect(
      (await load(server, '/photo.png', { 'accept-encoding': 'gzip' })).headers['content-encoding'],
    ).toBeUndefined();
  });
});

type Loaded = { status: number; headers: IncomingHttpHeaders; bytes: Buffer; text: string };

function load(server: TestServer, path: string, headers: Record<string, string> = {}): Promise<Loaded> {
  return new Promise((resolve, reject) => {
    get(`http://127.0.0.1:${server.port}${path}`, { headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const bytes = Buffer.concat(chunks);
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          bytes,
          text: bytes.toString(),
        });
      });
    }).on('error', reject);
  });
}

function writePage(dir: string): void {
  const files = {
    'index.html': '<!doctype html><title>GSV</title>',
    'assets/main-1a2b3c.js': 'console.log("page");\n'.repeat(500),
    'icon.svg': '<svg/>',
    'photo.png': 'png',
    '.env': 'SECRET=1',
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
