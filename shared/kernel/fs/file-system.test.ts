import { describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { alice, codeOf, filesFixture, NOW, root } from '../../../tests/support/files-fixture.ts';
import { streamOf } from '../../protocol/streams.ts';
import { sha256Hex } from '../../std/bytes.ts';
import { appendFile } from './change-file.ts';
import { copy } from './copy.ts';
import { writeStream } from './write-stream.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

describe('files', () => {
  test('[F1] a file reads back byte for byte, whatever its length and contents', async () => {
    const { fs } = await filesFixture();
    const every = Uint8Array.from({ length: 256 }, (_, at) => at);
    for (const contents of [new Uint8Array(0), every, bytes('ä\u0000\n'), bytes('x'.repeat(4097))]) {
      await fs.writeFile('f', contents, alice);
      expect(await fs.readFile('f', alice)).toEqual(contents);
    }
    expect(await fs.stat('f', alice)).toMatchObject({
      kind: 'file',
      mode: 0o644,
      uid: 1000,
      gid: 100,
      size: 4097,
      mtime: NOW,
    });
  });

  test('[F1] a byte order mark and text that is no UTF-8 survive', async () => {
    const { fs } = await filesFixture();
    for (const contents of [Uint8Array.of(0xef, 0xbb, 0xbf, 65), Uint8Array.of(0xff, 0xfe, 0)]) {
      await fs.writeFile('f', contents, alice);
      expect(await fs.readFile('f', alice)).toEqual(contents);
    }
  });

  test('[F1] appending keeps what was there', async () => {
    const { fs, text } = await filesFixture();
    await appendFile(fs, 'f', bytes('a\n'), alice);
    await appendFile(fs, 'f', bytes('b\n'), alice);
    expect(await text('f')).toBe('a\nb\n');
  });

  test('[F2] contents over 4 KiB are in the blob store before a row points at them', async () => {
    const { fs, blobs, doc } = await filesFixture();
    await fs.writeFile('small', new Uint8Array(4096), alice);
    expect(blobs.stored.size).toBe(0);
    let storedFirst = true;
    doc.getMap('inodes').observe(() => (storedFirst &&= blobs.stored.size === 1));
    await fs.writeFile('large', new Uint8Array(4097), alice);
    expect([blobs.stored.size, storedFirst]).toEqual([1, true]);
  });

  test('[F3] a blob that no file refers to is deleted once the change is on disk', async () => {
    const { fs, blobs, flush } = await filesFixture();
    await fs.writeFile('a', new Uint8Array(5000), alice);
    await copy(fs, 'a', 'b', alice);
    await fs.rm('a', alice);
    await fs.durable();
    expect(blobs.stored.size).toBe(1);
    await fs.writeFile('b', bytes('short'), alice);
    expect(blobs.stored.size).toBe(1);
    flush.run = async () => expect(blobs.stored.size).toBe(1);
    await fs.durable();
    expect(blobs.stored.size).toBe(0);
  });

  test('[F3] contents written again while their blob waits to be deleted are kept', async () => {
    const { fs, blobs } = await filesFixture();
    const contents = new Uint8Array(5000);
    await fs.writeFile('a', contents, alice);
    await fs.rm('a', alice);
    await Promise.all([fs.durable(), fs.writeFile('b', contents, alice)]);
    await fs.durable();
    expect(blobs.stored.size).toBe(1);
    expect(await fs.readFile('b', alice)).toEqual(contents);
  });

  test('[F3] a blob that cannot be deleted now is deleted later', async () => {
    const { fs, blobs } = await filesFixture();
    await fs.writeFile('a', new Uint8Array(5000), alice);
    await fs.rm('a', alice);
    const { delete: remove } = blobs;
    blobs.delete = () => Promise.reject(new Error('busy'));
    await fs.durable();
    blobs.delete = remove;
    await fs.durable();
    expect(blobs.stored.size).toBe(0);
  });

  test('[F4] a full disk is ENOSPC and leaves the old contents', async () => {
    const { fs, blobs, flush } = await filesFixture();
    await fs.writeFile('f', bytes('old'), alice);
    blobs.full = true;
    expect(await codeOf(fs.writeFile('f', new Uint8Array(5000), alice))).toBe('ENOSPC');
    expect(await fs.readFile('f', alice)).toEqual(bytes('old'));
    flush.run = () => Promise.reject(new Error('quota'));
    await expect(fs.durable()).rejects.toThrow('quota');
  });

  test('[F4] contents whose blob is not on this host are an error, not an empty file', async () => {
    const { fs, blobs } = await filesFixture();
    await fs.writeFile('f', new Uint8Array(5000), alice);
    blobs.stored.clear();
    expect(await codeOf(fs.readFile('f', alice))).toBe('EIO');
  });

  test('[F5] a stream is written whole or not at all', async () => {
    const { fs, text, put } = await filesFixture();
    const contents = bytes('x'.repeat(10_000));
    expect(await writeStream(fs, 'f', streamOf(contents), alice)).toMatchObject({
      size: 10_000,
      sha256: await sha256Hex(contents),
    });
    await put('g', 'old');
    const broken = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(bytes('new'));
      },
      pull: (controller) => controller.error(new Error('link closed')),
    });
    await expect(writeStream(fs, 'g', broken, alice)).rejects.toThrow('link closed');
    expect(await text('g')).toBe('old');
  });

  test('[F5] a stream that may not be written is cancelled before it is read', async () => {
    const { fs } = await filesFixture();
    let cancelled = false;
    const stream = new ReadableStream<Uint8Array>({
      cancel: () => {
        cancelled = true;
      },
    });
    expect(await codeOf(writeStream(fs, '/root/x', stream, alice))).toBe('EACCES');
    expect(cancelled).toBe(true);
  });

  test('[F6] a file of 50 MB and a directory of 10,000 entries work', async () => {
    const { fs } = await filesFixture();
    const large = new Uint8Array(50 * 1024 * 1024).fill(7);
    await fs.writeFile('large', large, alice);
    expect((await fs.readFile('large', alice)).length).toBe(large.length);
    await fs.mkdir('many', alice);
    for (let at = 0; at < 10_000; at += 1) await fs.writeFile(`many/${at}`, bytes(String(at)), alice);
    const started = performance.now();
    expect((await fs.readdir('many', alice)).length).toBe(10_000);
    expect(await fs.readFile('many/9999', alice)).toEqual(bytes('9999'));
    expect(performance.now() - started).toBeLessThan(500);
    await fs.rm('many', alice, { recursive: true });
    expect(await fs.exists('many', alice)).toBe(false);
  });

  test('[F7] what one replica writes is what another one reads', async () => {
    const here = await filesFixture();
    await here.put('f', 'text');
    const doc = new Y.Doc();
    Y.applyUpdate(doc, Y.encodeStateAsUpdate(here.doc));
    const there = await filesFixture(doc, here.blobs, 1);
    expect(await there.text('f')).toBe('text');
    await here.fs.rename('f', 'g', alice);
    Y.applyUpdate(doc, Y.encodeStateAsUpdate(here.doc));
    expect(await there.text('g')).toBe('text');
    expect(await there.fs.exists('f', alice)).toBe(false);
  });

  test('[F8] two files given one name on replicas apart are both kept, under the same names everywhere', async () => {
    const here = await filesFixture();
    const doc = new Y.Doc();
    Y.applyUpdate(doc, Y.encodeStateAsUpdate(here.doc));
    const there = await filesFixture(doc, here.blobs, 1);
    await here.put('f', 'here');
    await there.put('f', 'there');
    Y.applyUpdate(there.doc, Y.encodeStateAsUpdate(here.doc));
    Y.applyUpdate(here.doc, Y.encodeStateAsUpdate(there.doc));
    const names = async ({ fs }: typeof here) => (await fs.readdir('.', alice)).map(({ name }) => name);
    const listed = await names(here);
    expect(listed).toEqual(await names(there));
    const twin = listed.find((name) => name.startsWith('f.~')) ?? '';
    expect([await here.text('f'), await here.text(twin)].sort()).toEqual(['here', 'there']);
    await here.fs.rm('f', alice);
    expect(await names(here)).toEqual(['f']);
  });
});

describe('directories', () => {
  test('[F9] the directories of every GSV are there, private where they must be', async () => {
    const { fs } = await filesFixture();
    const names = (await fs.readdir('/', alice)).map(({ name }) => name);
    expect(names).toEqual([
      'dev',
      'etc',
      'home',
      'proc',
      'root',
      'src',
      'sys',
      'tmp',
      'usr',
      'var',
      'workspaces',
    ]);
    expect((await fs.stat('/root', alice)).mode).toBe(0o700);
    expect((await fs.stat('/tmp', alice)).mode).toBe(0o1777);
    expect((await fs.stat('/var/log/gsv/scheduler', alice)).kind).toBe('dir');
  });

  test('[F10] mkdir refuses what exists, and makes the way with recursive', async () => {
    const { fs, put } = await filesFixture();
    expect(await codeOf(fs.mkdir('a/b', alice))).toBe('ENOENT');
    await fs.mkdir('a/b/c', alice, { recursive: true });
    await fs.mkdir('a/b/c', alice, { recursive: true });
    expect(await codeOf(fs.mkdir('a', alice))).toBe('EEXIST');
    await put('f', '');
    expect(await codeOf(fs.mkdir('f/x', alice, { recursive: true }))).toBe('ENOTDIR');
    expect(await codeOf(fs.mkdir('/', alice))).toBe('EEXIST');
  });

  test('[F11] rm takes empty directories, all of a tree with recursive, and nothing when one part is refused', async () => {
    const { fs, put } = await filesFixture();
    await fs.mkdir('a/b', alice, { recursive: true });
    await put('a/b/f', 'x');
    expect(await codeOf(fs.rm('a', alice))).toBe('ENOTEMPTY');
    await fs.mkdir('a/theirs', alice);
    await fs.chown('/home/alice/a/theirs', { uid: 0, gid: 0 }, root);
    await fs.writeFile('/home/alice/a/theirs/x', bytes('x'), root);
    expect(await codeOf(fs.rm('a', alice, { recursive: true }))).toBe('EACCES');
    expect(await fs.exists('a/b/f', alice)).toBe(true);
    await fs.rm('/home/alice/a', root, { recursive: true });
    expect(await codeOf(fs.rm('a', alice))).toBe('ENOENT');
    await fs.rm('a', alice, { force: true });
    expect(await codeOf(fs.rm('/', root, { recursive: true }))).toBe('EPERM');
    expect(await codeOf(fs.rm('/proc', root, { recursive: true }))).toBe('EPERM');
  });

  test('[F12] rename replaces files by files and empty directories by directories, and never loses a tree', async () => {
    const { fs, put, text } = await filesFixture();
    await put('a', 'a');
    await put('b', 'b');
    await fs.rename('a', 'b', alice);
    expect(await text('b')).toBe('a');
    await fs.mkdir('d/e', alice, { recursive: true });
    await fs.mkdir('empty', alice);
    expect(await codeOf(fs.rename('b', 'd', alice))).toBe('EISDIR');
    expect(await codeOf(fs.rename('d', 'b', alice))).toBe('ENOTDIR');
    expect(await codeOf(fs.rename('empty', 'd', alice))).toBe('ENOTEMPTY');
    expect(await codeOf(fs.rename('d', 'd/e/f', alice))).toBe('EINVAL');
    expect(await codeOf(fs.rename('nothing', 'x', alice))).toBe('ENOENT');
    await fs.rename('d', 'empty', alice);
    expect((await fs.readdir('empty', alice)).map(({ name }) => name)).toEqual(['e']);
    expect(await codeOf(fs.rename('b', '/proc/b', alice))).toBe('EROFS');
  });

  test('[F13] copy takes files, and directories with recursive, but never a directory into itself', async () => {
    const { fs, put, text } = await filesFixture();
    await fs.mkdir('a/b', alice, { recursive: true });
    await put('a/b/f', 'text');
    await fs.chmod('a/b/f', 0o750, alice);
    await fs.symlink('b/f', 'a/link', alice);
    expect(await codeOf(copy(fs, 'a', 'c', alice))).toBe('EISDIR');
    await copy(fs, 'a', 'c', alice, { recursive: true });
    expect(await text('c/link')).toBe('text');
    expect(await fs.readlink('c/link', alice)).toBe('b/f');
    expect((await fs.stat('c/b/f', alice)).mode).toBe(0o750);
    expect(await codeOf(copy(fs, 'a', 'a/b', alice, { recursive: true }))).toBe('EINVAL');
    await copy(fs, 'a/b/f', 'c', alice);
    expect(await text('c/f')).toBe('text');
  });
});

describe('paths', () => {
  test('[F14] relative paths start at the working directory, ~ is home, and .. goes up to the root at most', async () => {
    const { fs, put, text } = await filesFixture();
    await put('f', 'text');
    for (const path of ['~/f', './f', '../alice/f', '/../../home/alice//f', '/home/./alice/f']) {
      expect(await text(path)).toBe('text');
    }
    expect(await fs.realpath('../../..', alice)).toBe('/');
    expect(await codeOf(fs.stat('f/', alice))).toBe('ENOTDIR');
    expect(await codeOf(fs.stat('f/x', alice))).toBe('ENOTDIR');
  });

  test.each([
    ['', 'ENOENT'],
    ['a\0b', 'EINVAL'],
    ['n'.repeat(256), 'ENAMETOOLONG'],
    ['ä'.repeat(128), 'ENAMETOOLONG'],
    ['p/'.repeat(3000), 'ENAMETOOLONG'],
    ['~/nothing/../f', 'ENOENT'],
  ])('[F15] the path %j is refused', async (path, code) => {
    const { fs, put } = await filesFixture();
    await put('f', '');
    expect(await codeOf(fs.readFile(path, alice))).toBe(code);
    expect(await codeOf(fs.writeFile(path, bytes('x'), alice))).toBe(code);
  });

  test('[F15] a name of 255 bytes, and any character but / and NUL, is taken', async () => {
    const { text, put } = await filesFixture();
    for (const name of ['n'.repeat(255), ' ', '-rf', '\n', '…', '__proto__', 'constructor']) {
      await put(name, name);
      expect(await text(name)).toBe(name);
    }
  });

  test('[F16] links are followed, .. leads out of where a link went, and a loop is ELOOP', async () => {
    const { fs, put, text } = await filesFixture();
    await fs.mkdir('a/b', alice, { recursive: true });
    await put('a/f', 'text');
    await fs.symlink('a/b', 'link', alice);
    await fs.symlink('/home/alice/a/f', 'absolute', alice);
    await fs.symlink('missing', 'dangling', alice);
    expect(await text('link/../f')).toBe('text');
    expect(await text('absolute')).toBe('text');
    expect((await fs.lstat('link', alice)).kind).toBe('symlink');
    expect(await fs.realpath('link', alice)).toBe('/home/alice/a/b');
    expect(await codeOf(fs.readFile('dangling', alice))).toBe('ENOENT');
    await put('dangling', 'made');
    expect(await text('missing')).toBe('made');
    await fs.rm('link', alice, { recursive: true });
    expect(await text('a/f')).toBe('text');
    await fs.symlink('loop2', 'loop1', alice);
    await fs.symlink('loop1', 'loop2', alice);
    expect(await codeOf(fs.stat('loop1', alice))).toBe('ELOOP');
    expect(await codeOf(fs.writeFile('loop1', bytes('x'), alice))).toBe('ELOOP');
    expect(await codeOf(fs.symlink('x', 'loop1', alice))).toBe('EEXIST');
    expect(await codeOf(fs.readlink('a', alice))).toBe('EINVAL');
  });

  test('[F16] a chain of 40 links is followed, one of 41 is not', async () => {
    const { fs, put } = await filesFixture();
    await put('l0', 'end');
    for (let at = 1; at <= 41; at += 1) await fs.symlink(`l${at - 1}`, `l${at}`, alice);
    expect(await codeOf(fs.readFile('l40', alice))).toBe('ok');
    expect(await codeOf(fs.readFile('l41', alice))).toBe('ELOOP');
  });

  test('[F17] a link or a path through it gives nobody more rights', async () => {
    const { fs, put } = await filesFixture();
    await put('/root/secret', 'x', root);
    await fs.symlink('/root/secret', '/tmp/s', alice);
    expect(await codeOf(fs.readFile('/tmp/s', alice))).toBe('EACCES');
    expect(await codeOf(fs.writeFile('/tmp/s', bytes('y'), alice))).toBe('EACCES');
    expect(await codeOf(fs.stat('/home/../root/secret', alice))).toBe('EACCES');
  });
});
