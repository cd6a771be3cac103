import { describe, expect, test } from 'vitest';
import { alice, bob, carol, codeOf, filesFixture, root } from '../../../tests/support/files-fixture.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

describe('permissions', () => {
  /** For a mode: whether owner, group and others may read and write a file. */
  const matrix: [mode: number, owner: string, group: string, others: string][] = [
    [0o000, '--', '--', '--'],
    [0o400, 'r-', '--', '--'],
    [0o200, '-w', '--', '--'],
    [0o640, 'rw', 'r-', '--'],
    [0o664, 'rw', 'rw', 'r-'],
    [0o604, 'rw', '--', 'r-'],
    [0o046, '--', 'r-', 'rw'],
    [0o777, 'rw', 'rw', 'rw'],
  ];

  test.each(matrix)('[F18] mode %o gives owner %s, group %s, others %s', async (mode, ...expected) => {
    const { fs, put } = await filesFixture();
    await put('/tmp/f', 'x');
    await fs.chmod('/tmp/f', mode, alice);
    const rights = async (caller: typeof alice) => {
      const read = (await codeOf(fs.readFile('/tmp/f', caller))) === 'ok';
      const write = (await codeOf(fs.writeFile('/tmp/f', bytes('x'), caller))) === 'ok';
      return (read ? 'r' : '-') + (write ? 'w' : '-');
    };
    expect([await rights(alice), await rights(bob), await rights(carol)]).toEqual(expected);
    expect(await rights(root)).toBe('rw');
  });

  test('[F19] a directory needs x to be passed, r to be listed, w and x to be changed', async () => {
    const { fs, put } = await filesFixture();
    await fs.mkdir('/tmp/d', alice);
    await put('/tmp/d/f', 'x');
    const rights = async (mode: number) => {
      await fs.chmod('/tmp/d', mode, alice);
      const tries = [
        fs.readFile('/tmp/d/f', carol),
        fs.readdir('/tmp/d', carol),
        fs.writeFile('/tmp/d/g', bytes(''), carol),
      ];
      return (await Promise.all(tries.map(codeOf))).map((code) => code === 'ok');
    };
    expect(await rights(0o700)).toEqual([false, false, false]);
    expect(await rights(0o701)).toEqual([true, false, false]);
    expect(await rights(0o704)).toEqual([false, true, false]);
    expect(await rights(0o705)).toEqual([true, true, false]);
    expect(await rights(0o702)).toEqual([false, false, false]);
    expect(await rights(0o707)).toEqual([true, true, true]);
  });

  test('[F20] in a sticky directory only the owner takes an entry away', async () => {
    const { fs, put } = await filesFixture();
    await put('/tmp/f', 'x');
    expect(await codeOf(fs.rm('/tmp/f', bob))).toBe('EPERM');
    expect(await codeOf(fs.rename('/tmp/f', '/tmp/g', bob))).toBe('EPERM');
    await put('/tmp/mine', 'x', bob);
    expect(await codeOf(fs.rename('/tmp/mine', '/tmp/f', bob))).toBe('EPERM');
    expect(await codeOf(fs.rm('/tmp/f', alice))).toBe('ok');
    expect(await codeOf(fs.rm('/tmp/mine', root))).toBe('ok');
  });

  test('[F21] only the owner and root change a mode; only root gives a file away', async () => {
    const { fs, put } = await filesFixture();
    await put('/tmp/f', 'x');
    expect(await codeOf(fs.chmod('/tmp/f', 0o777, bob))).toBe('EPERM');
    expect(await codeOf(fs.chown('/tmp/f', { uid: 1001 }, alice))).toBe('EPERM');
    expect(await codeOf(fs.chown('/tmp/f', { gid: 200 }, alice))).toBe('EPERM');
    expect(await codeOf(fs.chown('/tmp/f', { gid: 100 }, alice))).toBe('ok');
    await fs.chown('/tmp/f', { uid: 1001, gid: 200 }, root);
    expect(await fs.stat('/tmp/f', alice)).toMatchObject({ uid: 1001, gid: 200 });
    await fs.chmod('/tmp/f', 0o170777, root);
    expect((await fs.stat('/tmp/f', alice)).mode).toBe(0o777);
  });
});
