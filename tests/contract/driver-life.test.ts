import { execFileSync } from 'node:child_process';
import { appendFile, chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { SyscallError } from '../../shared/protocol/errors.ts';
import { PROTOCOL_VERSION } from '../../shared/protocol/version.ts';
import { type DriverOptions, type RunningDriver, runGsv, startDriver } from '../support/driver.ts';
import { DriverRoom } from '../support/driver-room.ts';

const TOKEN = 'gsv_node_SECRETsecretSECRETsecretSECRET12';

let base: string;
let work: string;
let room: DriverRoom;
const drivers: RunningDriver[] = [];

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'gsv-driver-'));
  work = join(base, 'work');
  await mkdir(work);
  room = await DriverRoom.start();
});

afterEach(async () => {
  await Promise.all(drivers.splice(0).map((driver) => driver.kill()));
  await room.close();
  await rm(base, { recursive: true, force: true });
});

const start = (args: string[] = []): Promise<RunningDriver> => started({ args });

async function started(options: Pick<DriverOptions, 'args' | 'under'>): Promise<RunningDriver> {
  const driver = await startDriver({
    url: room.url,
    token: TOKEN,
    id: 'laptop',
    workspace: work,
    stateDir: join(base, 'state'),
    ...options,
  });
  drivers.push(driver);
  return driver;
}

async function connected(args: string[] = []): Promise<RunningDriver> {
  const driver = await start(args);
  await driver.waitConnected();
  return driver;
}

const sh = (input: string, key: string) => room.call('shell.exec', { input }, { key });
const effects = async () =>
  (await readFile(join(work, 'effects'), 'utf8').catch(() => '')).split('\n').length - 1;

describe('exactly once', () => {
  test('[D35] a repeated key is answered from the journal, also after the driver was restarted', async () => {
    const first = await connected();
    const answer = await sh('echo x >> effects; date +%N', 'k1');
    expect(await sh('echo x >> effects; date +%N', 'k1')).toEqual(answer);
    await first.kill();
    await connected();
    expect(await sh('echo x >> effects; date +%N', 'k1')).toEqual(answer);
    expect(await effects()).toBe(1);
  });

  test('[D35] a key that still runs is waited for, not run beside itself', async () => {
    await connected();
    const both = await Promise.all([
      sh('echo x >> effects; sleep 0.3', 'k1'),
      sh('echo x >> effects; sleep 0.3', 'k1'),
    ]);
    expect(both[0]).toEqual(both[1]);
    expect(await effects()).toBe(1);
  });

  test('[D36] a call cut by the driver’s death is answered as interrupted and never runs again', async () => {
    const first = await connected();
    const cut = sh('echo x >> effects; sleep 2', 'k1');
    cut.catch(() => {});
    await vi.waitUntil(async () => (await effects()) === 1, 5000);
    await first.kill();
    await expect(cut).rejects.toMatchObject({ code: 503 });
    await connected();
    const again = { ok: false, error: expect.stringContaining('interrupted') };
    expect(await sh('echo x >> effects; sleep 2', 'k1')).toMatchObject(again);
    expect(await sh('echo x >> effects; sleep 2', 'k1')).toMatchObject(again);
    expect(await effects()).toBe(1);
  });

  test('[D37] a command outlives a lost connection and its key still gets the answer', async () => {
    const driver = await connected();
    const cut = sh('echo x >> effects; sleep 1; echo end', 'k1');
    cut.catch(() => {});
    await vi.waitUntil(async () => (await effects()) === 1, 5000);
    await room.close();
    await room.listen();
    await driver.waitConnected(2);
    expect(await sh('echo x >> effects; sleep 1; echo end', 'k1')).toMatchObject({
      status: 'completed',
      output: 'end\n',
    });
    expect(await effects()).toBe(1);
  });

  test('[D35] a key belongs to one call, and a torn last record is no obstacle', async () => {
    const first = await connected();
    await sh('echo x >> effects', 'k1');
    const other = room.call('fs.delete', { path: 'effects' }, { key: 'k1' });
    await expect(other).rejects.toMatchObject({ code: 400 });
    await first.kill();
    await appendFile(join(base, 'state', 'calls', 'journal.jsonl'), '{"key":"k2","call":"shell.ex');
    await connected();
    await sh('echo x >> effects', 'k1');
    await sh('echo x >> effects', 'k2');
    expect(await effects()).toBe(2);
  });

  test('[D92] a journal that a full disk cut in the middle of a record goes on whole when there is room again', async () => {
    const first = await started({ under: ['sh', '-c', 'ulimit -S -f 40; exec "$@"', 'sh'] });
    await first.waitConnected();
    const refused = async (at: number) => 'ok' in (await sh("printf '%3000s' x", `fill-${at}`));
    let at = 0;
    while (at < 50 && !(await refused(at))) at += 1;
    expect(at).toBeLessThan(50);
    execFileSync('prlimit', ['--pid', String(first.process.pid), '--fsize=unlimited']);
    const answer = await sh('echo x >> effects; date +%N', 'k1');
    expect(answer).toMatchObject({ status: 'completed' });
    expect(await sh('echo x >> effects; date +%N', 'k1')).toEqual(answer);
    await first.kill();
    await connected();
    expect(await sh('echo x >> effects; date +%N', 'k1')).toEqual(answer);
    expect(await effects()).toBe(1);
  });

  test('[D38] a second driver on the same state directory is refused', async () => {
    await connected();
    const second = await start();
    await second.waitFor('Another driver is running');
  });
});

describe('connecting', () => {
  test('[D40] it introduces itself and comes back when the server does', async () => {
    const driver = await connected();
    expect(room.introductions[0]).toMatchObject({
      protocol: PROTOCOL_VERSION,
      client: { id: 'laptop', role: 'driver' },
      driver: { implements: ['fs.*', 'shell.exec'] },
      auth: { username: 'gsv', token: TOKEN },
    });
    await room.close();
    await driver.waitFor('Disconnected: the server restarts');
    await driver.waitFor('nothing answers there');
    await room.listen();
    await driver.waitConnected(2);
  });

  test.each([
    [401, 'bad token', 'make a new one for device "laptop"'],
    [403, 'wrong device', 'check --id'],
    [409, 'already', 'Another driver is connected'],
    [426, 'protocol 2', 'another version of the protocol'],
  ])('[D41] a refusal by %d is explained', async (code, message, advice) => {
    room.admit = () => {
      throw new SyscallError(code, message);
    };
    const driver = await start();
    await driver.waitFor(`refused the connection (${code} ${message})`);
    await driver.waitFor(advice);
    expect(driver.process.exitCode).toBeNull();
  });

  test('[D42] SIGTERM ends the driver with success, and its commands with it', async () => {
    const driver = await connected();
    void sh('sleep 60 & echo $! > pid; wait', 'k1').catch(() => {});
    await vi.waitUntil(async () => (await stat(join(work, 'pid')).catch(() => null)) !== null, 5000);
    const pid = Number(await vi.waitUntil(() => readFile(join(work, 'pid'), 'utf8')));
    expect(await driver.stop()).toBe(0);
    expect(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') Z ')).toMatch(/\) Z /);
  });
});

describe('secrets', () => {
  const run = (args: string[], environment = {}) =>
    runGsv(['device', 'run', '--url', room.url, '--id', 'laptop', '--workspace', work, ...args], environment);

  test('[D45] a token file that others can read is refused', async () => {
    const file = join(base, 'token');
    await writeFile(file, TOKEN);
    for (const mode of [0o644, 0o620]) {
      await chmod(file, mode);
      const result = await run(['--token-file', file]);
      expect(result).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(`chmod 600 ${file}`) });
    }
  });

  test('[D45] a token on the command line, or none, is refused', async () => {
    expect(await run(['--token', TOKEN])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('can be seen by every user'),
    });
    expect(await run([])).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('No token') });
  });

  test('[D46] the log tells what was called and how it went, but no argument, content or token', async () => {
    const logFile = join(base, 'log');
    const driver = await connected(['--log-file', logFile]);
    await room.call('fs.write', { path: 'PRIVATEname', content: 'PRIVATEcontent' }, { key: 'w1' });
    await room.call('fs.read', { path: 'PRIVATEname' });
    await sh('echo PRIVATEcommand', 's1');
    await room.driver.call('fs.PRIVATE', {}).catch(() => {});
    await driver.stop();
    const text = await readFile(logFile, 'utf8');
    expect(text).not.toMatch(/PRIVATE|gsv_node/);
    const events = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(
      events.map(({ event, call, outcome }) => [event, call, outcome].filter(Boolean).join(' ')),
    ).toEqual([
      'connected',
      'call fs.write ok',
      'call fs.read ok',
      'call shell.exec completed',
      'call unknown error 404',
      'disconnected',
      'stopped',
    ]);
    expect((await stat(logFile)).mode & 0o777).toBe(0o600);
    for (const name of await readdir(join(base, 'state'), { recursive: true, withFileTypes: true })) {
      if (name.isFile())
        expect(await readFile(join(name.parentPath, name.name), 'utf8')).not.toContain(TOKEN);
    }
  });
});

describe('policy', () => {
  test('[D50] a read-only machine refuses what could change something', async () => {
    await connected(['--read-only']);
    await writeFile(join(work, 'a'), 'x');
    expect(await room.call('fs.read', { path: 'a' })).toMatchObject({ ok: true });
    const refused = { ok: false, error: expect.stringContaining('read-only') };
    expect(await room.call('fs.delete', { path: 'a' })).toMatchObject(refused);
    expect(await sh('touch b', 'k1')).toMatchObject(refused);
    expect(await readdir(work)).toEqual(['a']);
  });

  test('[D51] with --allow-root-dir no path or link leads outside', async () => {
    await connected(['--allow-root-dir', work]);
    await writeFile(join(base, 'outside'), 'x');
    await room.call('shell.exec', { input: `ln -s ${base} out; mkdir in` });
    for (const path of ['../outside', '/etc/hosts', '~', 'out/outside', 'in/../../outside', 'out/new/file']) {
      const refused = { ok: false, error: expect.stringContaining('Outside the directory') };
      expect(await room.call('fs.read', { path }), path).toMatchObject(refused);
      expect(await room.call('fs.write', { path, content: '' }), path).toMatchObject(refused);
    }
    expect(await room.call('fs.write', { path: 'in/new/file', content: '' })).toMatchObject({ ok: true });
  });

  test('[D90] nor does a link to what is not there yet', async () => {
    await connected(['--allow-root-dir', work]);
    await sh(
      'ln -s ../planted direct; ln -s direct further; mkdir -p a/b; ln -s ../.. a/b/up; ln -s a/b/up/../planted by',
      'l1',
    );
    for (const path of ['direct', 'further', 'by']) {
      const refused = { ok: false, error: expect.stringContaining('Outside the directory') };
      expect(await room.call('fs.write', { path, content: 'x' }), path).toMatchObject(refused);
    }
    expect(await readdir(base)).not.toContain('planted');
    await sh('ln -s made inside', 'l2');
    expect(await room.call('fs.write', { path: 'inside', content: 'x' })).toMatchObject({ ok: true });
    expect(await readFile(join(work, 'made'), 'utf8')).toBe('x');
  });
});
