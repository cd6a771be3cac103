import { createHash, randomBytes } from 'node:crypto';
import {
  chmod,
  link,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readAll, streamOf } from '../../shared/protocol/streams.ts';
import type { Args } from '../../shared/syscalls/table.ts';
import { type RunningDriver, startDriver } from '../support/driver.ts';
import { DriverRoom } from '../support/driver-room.ts';

const MIB = 1024 * 1024;
const everyByte = Uint8Array.from({ length: 256 * 40 }, (_, at) => at % 256);
const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), randomBytes(64)]);

let base: string;
let room: DriverRoom;
let driver: RunningDriver;
let at: string;
let count = 0;
/** Ends what single tests started beside the common driver, whether they passed or not. */
const ends: (() => Promise<void>)[] = [];

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'gsv-driver-'));
  room = await DriverRoom.start();
  const workspace = join(base, 'work');
  await mkdir(workspace);
  await mkdir(join(base, 'home'));
  driver = await startDriver({
    url: room.url,
    token: 'gsv_node_files',
    id: 'laptop',
    workspace,
    stateDir: join(base, 'state'),
    environment: { HOME: join(base, 'home') },
  });
  await driver.waitConnected();
});

afterAll(async () => {
  await Promise.all(ends.map((end) => end()));
  await driver.stop();
  await room.close();
  await rm(base, { recursive: true, force: true });
});

/** A directory of its own for each test, also as a path relative to the workspace. */
beforeEach(async () => {
  count += 1;
  at = `t${count}`;
  await mkdir(join(base, 'work', at));
});

const absolute = (path: string) => join(base, 'work', at, path);
const put = (path: string, content: string | Uint8Array) => writeFile(absolute(path), content);

describe('reading', () => {
  test('[D10] a text is read as numbered lines, by a path relative to the workspace', async () => {
    await put('a.txt', 'one\ntwo\nthree\n');
    const result = await room.call('fs.read', { path: `${at}/a.txt`, offset: 1, limit: 1 });
    expect(result).toEqual({ ok: true, content: '     2\ttwo', path: absolute('a.txt'), lines: 3, size: 14 });
  });

  test('[D10] ~ is the home directory and an absolute path is taken as it is', async () => {
    await writeFile(join(base, 'home', 'note'), 'hi');
    const path = join(base, 'home', 'note');
    expect(await room.call('fs.read', { path: '~/note' })).toMatchObject({ ok: true, path });
    expect(await room.call('fs.read', { path })).toMatchObject({ ok: true, path });
  });

  test('[D11] a directory of 10,000 entries is listed in order, links told by what they lead to', async () => {
    const names = Array.from({ length: 10_000 }, (_, n) => `f${String(n).padStart(5, '0')}`);
    for (let n = 0; n < names.length; n += 500) {
      await Promise.all(names.slice(n, n + 500).map((name) => put(name, '')));
    }
    await mkdir(absolute('sub'));
    await symlink('sub', absolute('to-sub'));
    await symlink('nowhere', absolute('broken'));
    const result = await room.call('fs.read', { path: at });
    expect(result).toEqual({
      ok: true,
      path: absolute(''),
      files: ['broken', ...names],
      directories: ['sub', 'to-sub'],
    });
  });

  test('[D12] an image comes as blocks that name and hold it, up to 10 MiB', async () => {
    await put('a.dat', png);
    await put('big.png', Buffer.concat([png, Buffer.alloc(10 * MIB)]));
    expect(await room.call('fs.read', { path: `${at}/a.dat` })).toEqual({
      ok: true,
      path: absolute('a.dat'),
      size: png.length,
      content: [
        { type: 'text', text: `a.dat (image/png, ${png.length} bytes)` },
        { type: 'image', data: png.toString('base64'), mimeType: 'image/png' },
      ],
    });
    expect(await room.call('fs.read', { path: `${at}/big.png` })).toMatchObject({
      ok: false,
      error: expect.stringContaining('10485760'),
    });
  });

  test('[D13] a binary file, a pipe and a missing file are told in words with the path', async () => {
    await put('a.bin', everyByte);
    const error = async (path: string) => (await room.call('fs.read', { path })) as { error?: string };
    expect((await error(`${at}/a.bin`)).error).toContain(`binary file of ${everyByte.length} bytes`);
    expect((await error('/dev/zero')).error).toContain('Not a regular file: /dev/zero');
    expect(await error(`${at}/none`)).toEqual({ ok: false, error: `No such file or directory: ${at}/none` });
    expect((await error('a\0b')).error).toContain('NUL');
    expect((await error(`${'d/'.repeat(2040)}end`)).error).toContain('too long');
    expect((await error(`${at}/${'n'.repeat(300)}`)).error).toContain('name is too long');
  });

  test('[D14] a text over 50 MiB is read in parts, of any place in it', async () => {
    const lines = 700_000;
    const file = await open(absolute('log'), 'w');
    for (let n = 0; n < lines; n += 10_000) {
      const part = Array.from({ length: 10_000 }, (_, k) => `line ${n + k + 1} ${'x'.repeat(80)}\n`);
      await file.appendFile(part.join(''));
    }
    await file.close();
    expect((await stat(absolute('log'))).size).toBeGreaterThan(50 * MIB);
    expect(await room.call('fs.read', { path: `${at}/log` })).toMatchObject({
      ok: false,
      error: expect.stringContaining('offset and limit'),
    });
    const part = await room.call('fs.read', { path: `${at}/log`, offset: 600_000, limit: 2 });
    expect(part).toMatchObject({
      ok: true,
      content: expect.stringMatching(/^600001\tline 600001 x+\n600002\tline 600002 x+$/),
    });
    expect(part).not.toHaveProperty('lines');
    const end = await room.call('fs.read', { path: `${at}/log`, offset: lines - 1, limit: 5 });
    expect(end).toMatchObject({ lines, content: expect.stringMatching(/^700000\tline 700000 x+$/) });
  });
});

describe('changing', () => {
  test('[D15] a file is written whole, with the directories above it, and replaced in its place', async () => {
    const path = `${at}/new/deep/a.txt`;
    expect(await room.call('fs.write', { path, content: 'é' })).toEqual({
      ok: true,
      path: absolute('new/deep/a.txt'),
      size: 2,
    });
    expect(await readFile(absolute('new/deep/a.txt'), 'utf8')).toBe('é');
    expect(await room.call('fs.write', { path: at, content: '' })).toMatchObject({
      ok: false,
      error: expect.stringContaining('Is a directory'),
    });
  });

  test('[D15] mode, links and other names of a replaced file are kept', async () => {
    await put('run.sh', 'old');
    await chmod(absolute('run.sh'), 0o750);
    await symlink('run.sh', absolute('link'));
    await put('twin', 'old');
    await link(absolute('twin'), absolute('other'));
    await room.call('fs.write', { path: `${at}/link`, content: 'new' });
    await room.call('fs.write', { path: `${at}/twin`, content: 'both' });
    expect((await lstat(absolute('link'))).isSymbolicLink()).toBe(true);
    expect(await readFile(absolute('run.sh'), 'utf8')).toBe('new');
    expect((await stat(absolute('run.sh'))).mode & 0o777).toBe(0o750);
    expect(await readFile(absolute('other'), 'utf8')).toBe('both');
  });

  test('[D91] a link is followed from where it lies, also by way of another link', async () => {
    await mkdir(absolute('releases/shared'), { recursive: true });
    await mkdir(absolute('releases/5'));
    await mkdir(absolute('shared'));
    await put('releases/shared/config', 'old');
    await put('shared/config', 'of another');
    await symlink('../shared/config', absolute('releases/5/config'));
    await symlink('releases/5', absolute('current'));
    await room.call('fs.write', { path: `${at}/current/config`, content: 'new' });
    expect(await readFile(absolute('releases/shared/config'), 'utf8')).toBe('new');
    expect(await readFile(absolute('shared/config'), 'utf8')).toBe('of another');
  });

  test('[D16] an edit is exact, keeps what it does not touch, and refuses what it would damage', async () => {
    await put('a.txt', '\ufeffa b b\r\n');
    const edit = (oldString: string, newString: string, replaceAll?: boolean) =>
      room.call('fs.edit', {
        path: `${at}/a.txt`,
        oldString,
        newString,
        ...(replaceAll ? { replaceAll } : {}),
      });
    expect(await edit('b', 'c')).toMatchObject({ ok: false, error: expect.stringContaining('2 times') });
    expect(await edit('b', 'c', true)).toEqual({ ok: true, path: absolute('a.txt'), replacements: 2 });
    expect(await readFile(absolute('a.txt'), 'utf8')).toBe('\ufeffa c c\r\n');
    await put('a.txt', Buffer.from([0x61, 0xe9, 0x62]));
    expect(await edit('a', 'c')).toMatchObject({ ok: false, error: expect.stringContaining('Not UTF-8') });
    expect(await readFile(absolute('a.txt'))).toEqual(Buffer.from([0x61, 0xe9, 0x62]));
  });

  test('[D17] a delete takes a directory with everything in it, and a link but not what it leads to', async () => {
    await mkdir(absolute('tree/in'), { recursive: true });
    await put('tree/in/a', 'x');
    await put('kept', 'x');
    await symlink('kept', absolute('link'));
    expect(await room.call('fs.delete', { path: `${at}/tree` })).toEqual({
      ok: true,
      path: absolute('tree'),
    });
    expect(await room.call('fs.delete', { path: `${at}/link` })).toMatchObject({ ok: true });
    expect(await room.call('fs.delete', { path: `${at}/tree` })).toMatchObject({ ok: false });
    expect(await readFile(absolute('kept'), 'utf8')).toBe('x');
  });

  test('[D17] the home, the workspace and what holds them are never deleted', async () => {
    await symlink(base, absolute('around'));
    for (const path of ['~', '.', '..', `${at}/..`, `${at}/around/home`]) {
      const result = await room.call('fs.delete', { path });
      expect(result, path).toMatchObject({ ok: false, error: expect.stringContaining('Refused to delete') });
    }
    expect((await stat(join(base, 'home'))).isDirectory()).toBe(true);
  });
});

describe('searching', () => {
  async function plant(): Promise<void> {
    await mkdir(absolute('src/node_modules'), { recursive: true });
    await mkdir(absolute('.git'));
    await put('src/b.ts', 'nothing\nhave a.b here\n');
    await put('src/a.ts', `a.b${'y'.repeat(900)}\naxb\n`);
    await put('src/c.md', 'a.b');
    await put('src/d.bin', 'a.b\0');
    await put('.git/e', 'a.b');
    await put('src/node_modules/f.ts', 'a.b');
  }

  test.each(['ripgrep', 'its own walk'])(
    '[D18] by %s: literal, in order, without binary files, .git and node_modules',
    async (way) => {
      await plant();
      const bare = way === 'ripgrep' ? undefined : await machineWithoutRipgrep();
      const search = (args: Args<'fs.search'>) => (bare ?? room).call('fs.search', args);
      expect(await search({ query: 'a.b', path: at, include: '*.ts' })).toEqual({
        ok: true,
        count: 2,
        matches: [
          { path: absolute('src/a.ts'), line: 1, content: `a.b${'y'.repeat(497)}` },
          { path: absolute('src/b.ts'), line: 2, content: 'have a.b here' },
        ],
      });
      expect(await search({ query: 'a.b', path: `${at}/src/c.md` })).toMatchObject({ count: 1 });
      expect(await search({ query: '', path: at })).toMatchObject({ ok: false });
      expect(await search({ query: 'x', path: `${at}/none` })).toMatchObject({ ok: false });
      await put('many', 'needle\n'.repeat(700));
      expect(await search({ query: 'needle', path: at })).toMatchObject({ count: 500, truncated: true });
    },
  );

  async function machineWithoutRipgrep(): Promise<DriverRoom> {
    const bare = await DriverRoom.start();
    const other = await startDriver({
      url: bare.url,
      token: 'gsv_node_bare',
      id: 'bare',
      workspace: join(base, 'work'),
      stateDir: join(base, `state-bare-${count}`),
      environment: { PATH: '/nonexistent' },
    });
    ends.push(async () => {
      await other.stop();
      await bare.close();
    });
    await other.waitConnected();
    return bare;
  }
});

describe('transfer', () => {
  const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

  test('[D19] every byte value survives both ways', async () => {
    const path = `${at}/bytes`;
    const written = await room.call(
      'fs.transfer.write',
      { path },
      { stream: streamOf(everyByte), key: 'bytes-1' },
    );
    expect(written).toEqual({
      ok: true,
      path: absolute('bytes'),
      size: everyByte.length,
      sha256: sha256(everyByte),
    });
    const { result, stream } = await room.open('fs.transfer.read', { path });
    expect(result).toEqual({ ok: true, path: absolute('bytes'), size: everyByte.length });
    expect(stream && sha256(await readAll(stream, MIB))).toBe(sha256(everyByte));
  });

  test('[D19] an empty file is a stream too', async () => {
    await put('empty', '');
    const { stream } = await room.open('fs.transfer.read', { path: `${at}/empty` });
    expect(stream && (await readAll(stream, MIB))).toHaveLength(0);
  });

  test('[D95] a file without a size of its own is sent whole', async () => {
    const { result, stream } = await room.open('fs.transfer.read', { path: '/proc/self/status' });
    const bytes = stream ? await readAll(stream, MIB) : new Uint8Array();
    expect(Buffer.from(bytes).toString()).toContain('Threads:');
    expect(result).toMatchObject({ ok: true, size: bytes.length });
  });

  test('[D97] what a process was started with is not sent, by a link neither', async () => {
    await symlink('/proc/self/environ', absolute('link'));
    for (const path of ['/proc/self/environ', '/proc/1/environ', '/proc/thread-self/environ', `${at}/link`]) {
      const refused = { ok: false, error: expect.stringMatching(/not sent|Permission denied/) };
      expect((await room.open('fs.transfer.read', { path })).result, path).toMatchObject(refused);
      expect(await room.call('fs.read', { path }), path).toMatchObject({ ok: false });
    }
  });

  test('[D19] 50 MB go there and back whole', async () => {
    const big = randomBytes(50 * 1000 * 1000);
    const path = `${at}/big`;
    const written = await room.call('fs.transfer.write', { path }, { stream: streamOf(big), key: 'big-1' });
    expect(written).toMatchObject({ ok: true, size: big.length, sha256: sha256(big) });
    const { stream } = await room.open('fs.transfer.read', { path });
    expect(stream && sha256(await readAll(stream, 2 * big.length))).toBe(sha256(big));
  });

  test('[D19] an incomplete stream changes nothing and may be sent again under its key', async () => {
    await put('a', 'before');
    const broken = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(everyByte),
      pull: (controller) => controller.error(new Error('cut')),
    });
    const path = `${at}/a`;
    await expect(
      room.call('fs.transfer.write', { path }, { stream: broken, key: 'cut-1' }),
    ).rejects.toThrow();
    expect(await readFile(absolute('a'), 'utf8')).toBe('before');
    expect(await room.call('fs.read', { path: at })).toMatchObject({ files: ['a'] });
    const again = await room.call(
      'fs.transfer.write',
      { path },
      { stream: streamOf(everyByte), key: 'cut-1' },
    );
    expect(again).toMatchObject({ ok: true, size: everyByte.length });
  });
});

describe('the gate', () => {
  test('[D20] what is unknown, malformed or not for this device is refused here too', async () => {
    const call = (name: string, args: unknown) => room.driver.call(name, args);
    await expect(call('fs.nothing', {})).rejects.toMatchObject({ code: 404 });
    await expect(call('sys.token.list', {})).rejects.toMatchObject({ code: 400 });
    await expect(call('fs.read', { path: 'a', more: 1 })).rejects.toMatchObject({ code: 400 });
    await expect(call('fs.read', { path: 'a', target: 'other' })).rejects.toMatchObject({ code: 400 });
  });
});
