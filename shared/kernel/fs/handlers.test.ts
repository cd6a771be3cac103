import { describe, expect, test } from 'vitest';
import { filesFixture, root } from '../../../tests/support/files-fixture.ts';
import { type ByteStream, readAll, streamOf } from '../../protocol/streams.ts';
import { sha256Hex } from '../../std/bytes.ts';
import { checkResult } from '../../syscalls/gate.ts';
import type { Args } from '../../syscalls/table.ts';
import type { Invocation } from '../handler.ts';
import { type FsSyscallName, fsHandlers } from './handlers.ts';

const identity = {
  uid: 1000,
  gid: 100,
  gids: [100],
  username: 'alice',
  home: '/home/alice',
  cwd: '/home/alice',
  workspaceId: null,
};

async function fixture() {
  const files = await filesFixture();
  const handlers = fsHandlers(files.fs);
  let sent: ByteStream | undefined;
  const invocation = (stream?: ByteStream): Invocation => ({
    caller: { identity, capabilities: ['*'], origin: { kind: 'kernel' } },
    signal: new AbortController().signal,
    key: undefined,
    stream,
    progress: () => {},
    sendBytes: (bytes) => {
      sent = bytes;
    },
  });
  const call = async <Name extends FsSyscallName>(name: Name, args: Args<Name>, stream?: ByteStream) => {
    const result = await handlers[name](args, invocation(stream));
    checkResult(name, result);
    return result as Record<string, unknown>;
  };
  return { ...files, call, sent: () => sent };
}

const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3);

describe('fs.read', () => {
  test('[F29] text comes as numbered lines, from offset on and at most limit of them', async () => {
    const { call, put } = await fixture();
    await put('f', 'one\ntwo\nthree\n');
    expect(await call('fs.read', { path: 'f' })).toEqual({
      ok: true,
      content: '     1\tone\n     2\ttwo\n     3\tthree',
      path: '/home/alice/f',
      lines: 3,
      size: 14,
    });
    expect((await call('fs.read', { path: '~/f', offset: 1, limit: 1 })).content).toBe('     2\ttwo');
    expect((await call('fs.read', { path: 'f', offset: 9 })).content).toBe('');
  });

  test('[F30] a directory lists its files and directories', async () => {
    const { call, fs, put } = await fixture();
    await fs.mkdir('/home/alice/d/sub', root, { recursive: true });
    await put('/home/alice/d/b', '', root);
    await put('/home/alice/d/a', '', root);
    const result = await call('fs.read', { path: 'd' });
    expect(result).toEqual({ ok: true, path: '/home/alice/d', files: ['a', 'b'], directories: ['sub'] });
  });

  test('[F31] an image comes as content blocks, up to 25 MiB, by its bytes and not its name', async () => {
    const { call, fs } = await fixture();
    await fs.writeFile('/home/alice/picture.txt', png, root);
    const result = await call('fs.read', { path: 'picture.txt' });
    expect(result.content).toMatchObject([
      { type: 'text' },
      { type: 'image', mimeType: 'image/png', data: btoa(String.fromCharCode(...png)) },
    ]);
    const large = new Uint8Array(25 * 1024 * 1024 + 1);
    large.set(png);
    await fs.writeFile('/home/alice/large.png', large, root);
    expect(await call('fs.read', { path: 'large.png' })).toMatchObject({
      ok: false,
      error: expect.stringContaining('larger'),
    });
  });

  test('[F32] what fails is an operation error with a plain sentence', async () => {
    const { call, fs, put } = await fixture();
    await put('/root/f', '', root);
    await fs.writeFile('/home/alice/bin', Uint8Array.of(0, 1, 2), root);
    expect(await call('fs.read', { path: 'x' })).toEqual({
      ok: false,
      error: 'no such file or directory: x',
    });
    expect(await call('fs.read', { path: '/root/f' })).toEqual({
      ok: false,
      error: 'permission denied: /root/f',
    });
    expect(await call('fs.read', { path: 'bin' })).toMatchObject({
      ok: false,
      error: expect.stringContaining('not a text file'),
    });
  });
});

describe('fs.write and fs.edit', () => {
  test('[F33] write replaces the whole file, makes the directories above it, and answers when it is on disk', async () => {
    const { call, flush, text } = await fixture();
    let flushed = 0;
    flush.run = async () => {
      flushed += 1;
    };
    expect(await call('fs.write', { path: 'a/b/f', content: 'ä' })).toEqual({
      ok: true,
      path: '/home/alice/a/b/f',
      size: 2,
    });
    await call('fs.write', { path: 'a/b/f', content: '' });
    expect([await text('a/b/f'), flushed]).toEqual(['', 2]);
    expect(await call('fs.write', { path: '/sys/config/users/1000/ai/new/key', content: 'x' })).toMatchObject(
      { ok: true },
    );
    flush.run = () => Promise.reject(new Error('quota'));
    expect(await call('fs.write', { path: 'f', content: 'x' })).toMatchObject({
      ok: false,
      error: expect.stringContaining('quota'),
    });
    expect(await call('fs.write', { path: 'a', content: 'x' })).toMatchObject({
      ok: false,
      error: 'is a directory: a',
    });
  });

  test('[F34] edit replaces exact text, refuses several matches without replaceAll, and leaves other bytes alone', async () => {
    const { call, fs, put, text } = await fixture();
    await put('f', '\uFEFFa b a\r\n$& c');
    expect(await call('fs.edit', { path: 'f', oldString: 'a', newString: 'x' })).toMatchObject({
      ok: false,
      error: expect.stringContaining('2 times'),
    });
    expect(
      await call('fs.edit', { path: 'f', oldString: 'a', newString: '$&', replaceAll: true }),
    ).toMatchObject({ ok: true, replacements: 2 });
    expect(await call('fs.edit', { path: 'f', oldString: ' b ', newString: '-' })).toMatchObject({
      replacements: 1,
    });
    expect((await fs.readFile('/home/alice/f', root))[0]).toBe(0xef);
    expect(await text('f')).toBe('$&-$&\r\n$& c');
    expect(await call('fs.edit', { path: 'f', oldString: 'zz', newString: 'y' })).toMatchObject({
      ok: false,
    });
    expect(await call('fs.edit', { path: 'f', oldString: '', newString: 'y' })).toMatchObject({ ok: false });
  });

  test('[F34] a file that is no UTF-8 text is not edited', async () => {
    const { call, fs } = await fixture();
    await fs.writeFile('/home/alice/f', Uint8Array.of(97, 0xff), root);
    expect(await call('fs.edit', { path: 'f', oldString: 'a', newString: 'b' })).toMatchObject({ ok: false });
  });
});

describe('fs.delete and fs.search', () => {
  test('[F35] delete takes a file or a whole directory, and says when there is none', async () => {
    const { call, put, fs } = await fixture();
    await call('fs.write', { path: 'd/e/f', content: 'x' });
    expect(await call('fs.delete', { path: 'd' })).toEqual({ ok: true, path: '/home/alice/d' });
    expect(await call('fs.delete', { path: 'd' })).toMatchObject({ ok: false });
    await put('/tmp/f', 'x', root);
    expect(await call('fs.delete', { path: '/tmp/f' })).toMatchObject({ ok: false });
    expect(await fs.exists('/tmp/f', root)).toBe(true);
  });

  test('[F36] search is literal, below path, of names that include matches, and leaves out what is not text or not readable', async () => {
    const { call, fs, put } = await fixture();
    await fs.mkdir('/home/alice/src', root);
    await put('/home/alice/src/a.ts', 'x\nfoo.*bar\n', root);
    await put('/home/alice/src/b.md', 'foo.*bar', root);
    await put('/home/alice/src/c.ts', 'fooXbar', root);
    await put('/home/alice/hidden', 'foo.*bar', root);
    await fs.chmod('/home/alice/hidden', 0o600, root);
    await fs.writeFile('/home/alice/bin', new TextEncoder().encode('\0foo.*bar'), root);
    const match = (path: string, line: number) => ({ path, line, content: 'foo.*bar' });
    const all = await call('fs.search', { query: 'foo.*bar' });
    expect(all).toEqual({
      ok: true,
      matches: [match('/home/alice/src/a.ts', 2), match('/home/alice/src/b.md', 1)],
      count: 2,
    });
    expect(await call('fs.search', { query: 'foo.*bar', include: '*.ts' })).toMatchObject({ count: 1 });
    expect(await call('fs.search', { query: 'foo.*bar', path: 'src/b.md' })).toMatchObject({ count: 1 });
    expect(await call('fs.search', { query: 'root', path: '/' })).toMatchObject({ count: 0 });
  });

  test('[F36] search ends after 500 matches and says so; an empty query is refused', async () => {
    const { call, put } = await fixture();
    await put('f', 'x\n'.repeat(500));
    expect(await call('fs.search', { query: 'x' })).not.toHaveProperty('truncated');
    await put('g', 'x\n');
    expect(await call('fs.search', { query: 'x' })).toMatchObject({ count: 500, truncated: true });
    expect(await call('fs.search', { query: '' })).toMatchObject({ ok: false });
    expect(await call('fs.search', { query: 'x', path: 'nowhere' })).toMatchObject({ ok: false });
  });
});

describe('transfer', () => {
  test('[F37] a file leaves as a byte stream and comes back the same, named by its hash', async () => {
    const { call, fs, sent } = await fixture();
    const bytes = Uint8Array.from({ length: 300_000 }, (_, at) => at % 256);
    await fs.writeFile('/home/alice/f', bytes, root);
    expect(await call('fs.transfer.read', { path: 'f' })).toEqual({
      ok: true,
      path: '/home/alice/f',
      size: 300_000,
    });
    const written = await call('fs.transfer.write', { path: 'g' }, sent());
    expect(written).toEqual({
      ok: true,
      path: '/home/alice/g',
      size: 300_000,
      sha256: await sha256Hex(bytes),
    });
    await call('fs.transfer.read', { path: 'g' });
    expect(await readAll(sent() ?? streamOf(png), 1e6)).toEqual(bytes);
    expect(await call('fs.transfer.read', { path: 'nothing' })).toMatchObject({ ok: false });
    expect(await call('fs.transfer.write', { path: '/root/g' }, streamOf(bytes))).toMatchObject({
      ok: false,
    });
    await expect(call('fs.transfer.write', { path: 'g' })).rejects.toThrow('needs a byte stream');
  });
});
