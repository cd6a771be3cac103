import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SyscallError } from '../../shared/protocol/errors.ts';
import type { IncomingCall } from '../../shared/protocol/peer.ts';
import { GSV_VERSION } from '../../shared/protocol/version.ts';
import { runGsv } from '../support/driver.ts';
import { DriverRoom } from '../support/driver-room.ts';

let room: DriverRoom;
let calls: { call: string; args: unknown }[];

beforeEach(async () => {
  room = await DriverRoom.start();
  calls = [];
});
afterEach(() => room.close());

/** Answers the calls of the command line, in turn, by these results. */
function script(...results: (object | SyscallError)[]): void {
  room.answer = async ({ call, args }: IncomingCall) => {
    calls.push({ call, args });
    const next = results.shift() ?? new SyscallError(500, 'The script is over');
    if (next instanceof Error) throw next;
    return { data: next };
  };
}

const gsv = (...args: string[]) =>
  runGsv(args, { GSV_TOKEN: 'gsv_user_token', GSV_URL: room.url, GSV_USER: 'ann' });

describe('the command line', () => {
  test('[D55] exec prints the output as it comes and exits with the exit code', async () => {
    script(
      { status: 'running', output: 'one\n', sessionId: 'sh_1' },
      { status: 'completed', output: 'two\n', exitCode: 7 },
    );
    const result = await gsv('exec', '--target', 'laptop', '--cwd', '~/x', '--', 'make', 'it all', "don't");
    expect(result).toEqual({ exitCode: 7, stdout: 'one\ntwo\n', stderr: '' });
    expect(calls).toEqual([
      { call: 'shell.exec', args: { target: 'laptop', cwd: '~/x', input: "make 'it all' 'don'\\''t'" } },
      { call: 'shell.exec', args: { sessionId: 'sh_1', input: '' } },
    ]);
    expect(room.introductions[0]).toMatchObject({
      client: { role: 'user' },
      auth: { username: 'ann', token: 'gsv_user_token' },
    });
  });

  test('[D55] a single word is a line for the shell as it stands', async () => {
    script({ status: 'completed', output: '', exitCode: 0 });
    expect(await gsv('exec', '--target', 'laptop', '--', 'ls | wc -l')).toMatchObject({ exitCode: 0 });
    expect(calls[0]?.args).toEqual({ target: 'laptop', input: 'ls | wc -l' });
  });

  test('[D56] refusals and failures go to standard error, with exit code 1', async () => {
    script(new SyscallError(503, 'Device offline: laptop'));
    expect(await gsv('exec', '--target', 'laptop', '--', 'ls')).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: '503 Device offline: laptop\n',
    });
    script({ status: 'failed', output: 'part\n', error: 'it ran too long' });
    expect(await gsv('exec', '--target', 'laptop', '--', 'ls')).toEqual({
      exitCode: 1,
      stdout: 'part\n',
      stderr: 'it ran too long\n',
    });
    room.admit = () => {
      throw new SyscallError(401, 'Authentication failed');
    };
    expect(await gsv('devices')).toMatchObject({ exitCode: 1, stderr: '401 Authentication failed\n' });
  });

  test('[D98] whoever sends a token over a network in the clear is warned', async () => {
    script({ devices: [] });
    const elsewhere = room.url.replace('127.0.0.1', '0.0.0.0');
    expect((await gsv('devices', '--url', elsewhere)).stderr).toContain('is not encrypted');
    script({ devices: [] });
    expect((await gsv('devices')).stderr).toBe('');
  });

  test('[D57] read prints a file or a directory, devices one line each', async () => {
    script({ ok: true, content: '     1\thi', path: '/a', lines: 1, size: 2 });
    expect(await gsv('read', '--target', 'laptop', '--limit', '1', 'a')).toMatchObject({
      stdout: '     1\thi\n',
    });
    expect(calls[0]).toEqual({ call: 'fs.read', args: { target: 'laptop', path: 'a', limit: 1 } });
    script({ ok: true, path: '/', files: ['f'], directories: ['d'] });
    expect(await gsv('read', '--target', 'laptop', '/')).toMatchObject({ stdout: 'd/\nf\n' });
    script({ ok: false, error: 'No such file or directory: b' });
    expect(await gsv('read', '--target', 'laptop', 'b')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('No such'),
    });
    const device = {
      deviceId: 'laptop',
      ownerUid: 1000,
      description: 'mine',
      platform: 'linux-x64',
      version: '1',
      online: true,
      lastSeenAt: 0,
    };
    script({ devices: [device] });
    expect(await gsv('devices')).toMatchObject({ exitCode: 0, stdout: 'laptop  online   linux-x64  mine\n' });
  });

  test('[D58] help and version are printed, and what cannot be understood says why, with exit code 2', async () => {
    expect(await gsv('--version')).toMatchObject({ exitCode: 0, stdout: `${GSV_VERSION}\n` });
    expect(await gsv('--help')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('gsv device run'),
    });
    expect(await gsv('dance')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Unknown command: dance'),
    });
    expect(await gsv('exec', '--', 'ls')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--target is missing'),
    });
    expect(await gsv('devices', '--url', 'nonsense')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--url'),
    });
    expect(await gsv('devices', '--url', 'http://127.0.0.1:1')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('Cannot reach'),
    });
  });
});
