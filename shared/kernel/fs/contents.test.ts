import { expect, test } from 'vitest';
import { alice, filesFixture } from '../../../tests/support/files-fixture.ts';
import { Gate } from '../../../tests/support/gate.ts';
import { MemoryBlobs } from '../../../tests/support/memory-blobs.ts';
import { SyscallError } from '../../protocol/errors.ts';
import { appendFile, changeFile } from './change-file.ts';
import { copy } from './copy.ts';

/** More than a row holds. */
const LONG = 'x'.repeat(10_000);
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Contents that are at the room, which can be reached or not. */
class RemoteBlobs extends MemoryBlobs {
  online = true;

  override async get(hash: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    if (!this.online) throw new SyscallError(503, 'This browser is not connected to its server');
    return super.get(hash);
  }
}

/** Contents that take their time to come, or to be stored. */
class SlowBlobs extends MemoryBlobs {
  gate: Gate | null = null;

  override async put(...blob: Parameters<MemoryBlobs['put']>): Promise<string> {
    await this.gate?.pass();
    return super.put(...blob);
  }

  override async get(hash: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    await this.gate?.pass();
    return super.get(hash);
  }
}

test('[S33] a file whose contents are elsewhere is there, can be moved and copied, and says why it cannot be read', async () => {
  const blobs = new RemoteBlobs();
  const { fs, put, text } = await filesFixture(undefined, blobs);
  const long = 'x'.repeat(10_000);
  await put('~/a', long);
  blobs.online = false;
  const said = 'this file’s contents are on another device and cannot be fetched now: ~/a';
  await expect(fs.readFile('~/a', alice)).rejects.toMatchObject({ code: 'EIO', message: said });
  await expect(appendFile(fs, '~/a', new Uint8Array(1), alice)).rejects.toMatchObject({ code: 'EIO' });
  expect(await fs.stat('~/a', alice)).toMatchObject({ size: 10_000 });
  await copy(fs, '~/a', '~/b', alice);
  await fs.rename('~/a', '~/c', alice);
  blobs.online = true;
  expect(await text('~/b')).toBe(long);
  expect(await text('~/c')).toBe(long);
  expect([...fs.blobs.referred()]).toEqual([...blobs.stored.keys()]);
});

test('[S33] contents that nobody has left are an error of their file alone', async () => {
  const { fs, put, text, blobs } = await filesFixture();
  await put('~/a', 'x'.repeat(10_000));
  await put('~/b', 'y'.repeat(10_000));
  const [first = ''] = blobs.stored.keys();
  blobs.stored.delete(first);
  await expect(fs.readFile('~/a', alice)).rejects.toMatchObject({ code: 'EIO' });
  expect(await text('~/b')).toHaveLength(10_000);
});

test('[F97] an append or edit that another change overtakes is made of what is there then: no change is undone', async () => {
  const { fs, put, text } = await filesFixture();
  for (const large of ['', 'x'.repeat(10_000)]) {
    await put('~/log', `${large}begin\n`);
    const appended = [1, 2, 3].map((at) => appendFile(fs, '~/log', utf8(`line ${at}\n`), alice));
    const edited = changeFile(fs, '~/log', alice, {
      read: true,
      change: (bytes) => utf8(new TextDecoder().decode(bytes).replace('begin', 'BEGIN')),
    });
    await Promise.all([...appended, edited]);
    const lines = (await text('~/log')).slice(large.length).trimEnd().split('\n');
    expect(lines.sort()).toEqual(['BEGIN', 'line 1', 'line 2', 'line 3']);
  }
});

test('[F97] an edit of contents that were elsewhere is made of what was written while they were fetched', async () => {
  const blobs = new SlowBlobs();
  const { fs, put, text } = await filesFixture(undefined, blobs);
  await put('~/a', `${'x'.repeat(10_000)} END`);
  blobs.gate = new Gate();
  const edited = changeFile(fs, '~/a', alice, {
    read: true,
    change: (bytes) => utf8(new TextDecoder().decode(bytes).replace('END', 'edited END')),
  });
  await blobs.gate.reached();
  await put('~/a', 'short END');
  blobs.gate.open();
  await edited;
  expect(await text('~/a')).toBe('short edited END');
});

test('[S102] what changes one path takes effect in the order in which it was asked for, however long contents take to store', async () => {
  const blobs = new SlowBlobs();
  const { fs, put, text } = await filesFixture(undefined, blobs);
  for (const path of ['copied', 'moved', 'over', 'removed', 'short']) await put(path, path);
  await fs.symlink('written', 'link', alice);
  const gate = new Gate();
  blobs.gate = gate;
  const long = ['written', 'copied', 'moved', 'over', 'removed'].map((path) => put(path, LONG));
  const later = [
    put('link', 'newer'),
    copy(fs, 'short', 'copied', alice),
    fs.rename('moved', 'there', alice),
    fs.rm('removed', alice),
  ];
  await put('not held up', '');
  await gate.reached();
  later.push(fs.rename('short', 'over', alice));
  gate.open();
  await Promise.all([...long, ...later]);
  expect((await text('written')).slice(0, 5)).toBe('newer');
  for (const path of ['copied', 'over']) expect((await text(path)).slice(0, 5)).toBe('short');
  expect((await text('there')).length).toBe(LONG.length);
  for (const path of ['moved', 'removed', 'short']) expect(await fs.exists(path, alice)).toBe(false);
});

test('[S102] a change goes on after an earlier one of the same path that was refused', async () => {
  const { fs, put, text, blobs } = await filesFixture();
  blobs.full = true;
  const refused = expect(fs.writeFile('a', utf8(LONG), alice)).rejects.toMatchObject({ code: 'ENOSPC' });
  await put('a', 'short');
  await refused;
  expect(await text('a')).toBe('short');
});
