import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { DispatchOptions } from '../../shared/kernel/dispatch.ts';
import { DeviceSecret } from '../../shared/kernel/seal/tunnel/device-secret.ts';
import { DeviceTunnel } from '../../shared/kernel/seal/tunnel/device-tunnel.ts';
import { readAll, streamOf } from '../../shared/protocol/streams.ts';
import { type ClaimedRoom, claimRoom, tokens } from '../support/claimed-room.ts';
import { type RunningDriver, runGsv, startDriver } from '../support/driver.ts';
import { realRandom } from '../support/platform.ts';
import type { RoomClient } from '../support/room-client.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { outputOf } from '../support/shell-output.ts';

const secret = DeviceSecret.make('laptop', realRandom);
let base: string;
let work: string;
let server: TestServer;
let room: ClaimedRoom;
let driver: RunningDriver;

const start = (token: string, state = 'state'): Promise<RunningDriver> =>
  startDriver({
    url: server.url,
    token,
    id: 'laptop',
    workspace: work,
    stateDir: join(base, state),
    args: ['--user', 'alice', '--wait', '1'],
  });

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'gsv-sealed-'));
  work = join(base, 'work');
  await mkdir(work);
  server = await startServer();
  room = await claimRoom(server);
  driver = await start(`${tokens.laptop}.${secret.text}`);
  await driver.waitConnected();
});

afterAll(async () => {
  await driver?.stop();
  await server?.stop();
  await rm(base, { recursive: true, force: true });
});

/** Of alice's command line; `suffix` stands behind her token. */
const environmentOf = (suffix: string) => ({
  GSV_URL: server.url,
  GSV_USER: 'alice',
  GSV_TOKEN: tokens.alice + suffix,
});

/** What a kernel that has this connection asks of the device. */
function tunnel(client: RoomClient = room.replica) {
  const { call } = new DeviceTunnel({
    secretOf: () => secret.text,
    random: realRandom,
    sealed: () => true,
    callDevice: async (_deviceId, name, args, { signal, timeoutMs, stream, lease, onProgress }) => {
      const given = { ...(stream && { stream }), ...(lease && { lease }), ...(onProgress && { onProgress }) };
      const reply = await client.call(name, args, { signal, timeoutMs, ...given });
      return { data: reply.data, stream: reply.stream };
    },
  });
  return (name: Parameters<typeof call>[1], args: object, more: Partial<DispatchOptions> = {}) =>
    call(
      'laptop',
      name,
      { target: 'laptop', ...args },
      { signal: AbortSignal.timeout(30_000), timeoutMs: 30_000, ...more },
    );
}

describe('a device of a sealed GSV, with the real room and the real driver', () => {
  test('[D77] commands, long results and files of 20 MB reach it and come back', async () => {
    const call = tunnel();
    expect((await call('shell.exec', { input: 'echo hi; exit 3' })).data).toMatchObject({
      output: 'hi\n',
      exitCode: 3,
    });
    await writeFile(join(work, 'long'), 'all of it\n'.repeat(100_000));
    const { data } = await call('fs.read', { path: 'long', limit: 100_000 });
    expect((data as { content: string }).content.length).toBeGreaterThan(1_500_000);
    const bytes = new Uint8Array(randomBytes(20_000_000));
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const written = await call('fs.transfer.write', { path: 'big' }, { stream: streamOf(bytes), key: 'big' });
    expect(written.data).toMatchObject({ ok: true, size: bytes.length, sha256 });
    const { stream } = await call('fs.transfer.read', { path: 'big' });
    const back = stream && (await readAll(stream, 2 * bytes.length));
    expect(back && createHash('sha256').update(back).digest('hex')).toBe(sha256);
  });

  test('[D77] it checks arguments and its own name again, and what it refuses comes back in words', async () => {
    const call = tunnel();
    await expect(call('fs.read', { path: 7 })).rejects.toMatchObject({ code: 400 });
    await expect(call('fs.read', { path: 'a', target: 'other' })).rejects.toThrow('This is device laptop');
    await expect(call('proc.list', {})).rejects.toThrow('does not implement proc.list');
    expect((await call('fs.read', { path: 'none' })).data).toMatchObject({ ok: false });
  });

  test('[D77] a caller that gives up ends the command; one that is lost asks again by its key', async () => {
    const giveUp = new AbortController();
    const call = tunnel();
    const slow = call('shell.exec', { input: 'sleep 0.7; echo done >> given-up' }, { signal: giveUp.signal });
    setTimeout(() => giveUp.abort(), 200);
    await expect(slow).rejects.toMatchObject({ code: 499 });
    const command = { input: 'echo x >> effects; sleep 0.7; echo end' };
    const lost = await room.kernel('replica-2');
    tunnel(lost)('shell.exec', command, { key: 'once' }).catch(() => {});
    await vi.waitUntil(() => readFile(join(work, 'effects')).catch(() => undefined), 5000);
    lost.socket.terminate();
    const again = await room.kernel('replica-2');
    const answer = await tunnel(again)('shell.exec', command, { key: 'once' });
    const poll = (args: object) => tunnel(again)('shell.exec', args);
    expect(await outputOf(poll, answer.data)).toBe('end\n');
    expect(await readFile(join(work, 'effects'), 'utf8')).toBe('x\n');
    await expect(readFile(join(work, 'given-up'))).rejects.toThrow('ENOENT');
    await again.close();
  });

  test('[D82] with no browser open gsv exec and gsv read reach it, sealed, with a token for commands on it', async () => {
    await writeFile(join(work, 'notes'), 'alpha\n');
    const gsv = (...args: string[]) => runGsv(args, environmentOf(`.${secret.text}.laptop`));
    const long = 'echo begun; sleep 1.5; echo done; exit 4';
    expect(await gsv('exec', '--target', 'laptop', '--', long)).toEqual({
      exitCode: 4,
      stdout: 'begun\ndone\n',
      stderr: '',
    });
    const read = await gsv('read', '--target', 'laptop', 'notes');
    expect(read).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('alpha') });
    expect((await gsv('devices')).stdout).toMatch(/^laptop\s+online/);
    expect((await gsv('read', '--target', 'other', 'notes')).stderr).toContain('This token commands laptop');
    expect((await gsv('exec', '--target', 'laptop', '--', 'env')).stdout).not.toContain(secret.text);
  });

  test('[D82] a token with the secret of before, or with none, is told why nothing happens', async () => {
    const former = DeviceSecret.make('laptop', realRandom).text;
    const command = ['exec', '--target', 'laptop', '--', 'id'];
    const after = await runGsv(command, environmentOf(`.${former}.laptop`));
    expect(after).toMatchObject({ exitCode: 1, stdout: '' });
    expect(after.stderr).toContain('make tokens for commands anew');
    const cut = await runGsv(command, environmentOf('.short.laptop'));
    expect(cut.stderr).toContain('The token is cut short');
  });

  test('[S189] the room passes on a sealed call of a person only to a device on which they may run commands', async () => {
    const bob = await room.user('bob');
    const asked = bob.call('device.call', { deviceId: 'laptop', sealed: 'AA==' });
    await expect(asked).rejects.toMatchObject({ code: 403, message: 'Access denied to device: laptop' });
    await bob.close();
  });

  test('[D77] in the clear nobody reaches it: gsv exec is told why', async () => {
    const result = await runGsv(['exec', '--target', 'laptop', '--', 'id'], environmentOf(''));
    expect(result).toMatchObject({ exitCode: 1, stdout: '' });
    expect(result.stderr).toContain('takes sealed calls alone');
  });

  test('[R170] the room asks for the lease of a sealed call, and for a device that is there', async () => {
    const stale = tunnel()('fs.read', { path: 'a' }, { lease: { name: 'proc:a', epoch: 7 } });
    await expect(stale).rejects.toMatchObject({ code: 409 });
    const none = room.replica.call('device.call', { deviceId: 'none', sealed: 'AA==' });
    await expect(none).rejects.toMatchObject({ code: 503, retryable: true });
  });

  test('[D78] the secret is neither in the arguments of the driver, nor told to the server, nor printed; one that is cut short is refused', async () => {
    const list = await readFile(`/proc/${driver.process.pid}/cmdline`, 'utf8');
    expect(list + driver.output()).not.toContain(secret.text);
    const cut = await start(`${tokens.laptop}.${secret.text.slice(1)}`, 'other');
    await cut.waitFor('The token is cut short');
    expect(cut.output()).not.toContain(secret.text.slice(1));
    await driver.stop();
    driver = await start(`${tokens.laptop}.${secret.text}`);
    await driver.waitConnected();
    expect((await tunnel()('shell.exec', { input: 'env | grep -c GSV_TOKEN' })).data).toMatchObject({
      output: '0\n',
    });
  });
});
