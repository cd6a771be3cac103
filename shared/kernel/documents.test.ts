import { describe, expect, test } from 'vitest';
import { readDoc } from '../../tests/support/edit-doc.ts';
import { MemoryDisk } from '../../tests/support/memory-storage.ts';
import { SyscallError } from '../protocol/errors.ts';
import { Documents } from './documents.ts';

const rowsOf = async (documents: Documents, name: string) => (await documents.open(name)).getMap('rows');

describe('documents', () => {
  test('[S17] a document is in memory while anybody uses it, and one of a name at a time', async () => {
    const documents = new Documents(new MemoryDisk().docs());
    const [one, two] = await Promise.all([documents.open('a'), documents.open('a')]);
    expect(two).toBe(one);
    await documents.close('a');
    expect(await documents.open('a')).toBe(one);
    await documents.close('a');
    await documents.close('a');
    expect(await documents.open('a')).not.toBe(one);
  });

  test('[S17] one that is opened again before it was written has what was changed', async () => {
    const disk = new MemoryDisk();
    const documents = new Documents(disk.docs());
    (await rowsOf(documents, 'a')).set('k', 1);
    await documents.close('a');
    expect((await rowsOf(documents, 'a')).get('k')).toBe(1);
    expect(disk.updates).toEqual([]);
  });

  test('[S17] folding together never undoes what was written after a document was opened anew', async () => {
    const disk = new MemoryDisk();
    const documents = new Documents(disk.docs());
    const rows = await rowsOf(documents, 'a');
    for (let n = 0; n < 99; n += 1) rows.set(`k${n}`, n);
    rows.set('last', 1);
    await documents.close('a');
    (await rowsOf(documents, 'a')).set('later', 2);
    await documents.flush();
    expect(readDoc(disk, 'a').getMap('rows').size).toBe(101);
  });

  test('[S18] this replica’s own documents are stored anew without what they once were', async () => {
    const disk = new MemoryDisk();
    const sizeOf = (name: string) =>
      disk.updates.reduce((size, row) => (row.doc === name ? size + row.bytes.length : size), 0);
    for (const name of ['work', 'conv/p/default/state']) {
      const documents = new Documents(disk.docs());
      const rows = await rowsOf(documents, name);
      for (let n = 0; n < 4000; n += 1) rows.set(`${name}/${n}`, { n });
      for (const key of [...rows.keys()].slice(1)) rows.delete(key);
      await documents.flush();
      expect(sizeOf(name)).toBeGreaterThan(64 * 1024);
      const again = await rowsOf(new Documents(disk.docs()), name);
      expect(again.toJSON()).toEqual({ [`${name}/0`]: { n: 0 } });
    }
    expect(sizeOf('work')).toBeLessThan(1000);
    expect(sizeOf('conv/p/default/state'), 'others may hold parts of its history').toBeGreaterThan(10_000);
  });

  test('[S19] a full disk refuses in words, keeps what was changed, and lets go of what is removed', async () => {
    const disk = new MemoryDisk();
    const documents = new Documents(disk.docs());
    (await rowsOf(documents, 'a')).set('k', 1);
    (await rowsOf(documents, 'b')).set('k', 1);
    await documents.flush();
    disk.refuse = new Error('This device has no space left for GSV.');
    (await rowsOf(documents, 'a')).set('k', 2);
    await expect(documents.flush()).rejects.toMatchObject({
      code: 507,
      message: 'This device has no space left for GSV.',
    });
    await documents.remove('b');
    expect(disk.updates.map(({ doc }) => doc)).toEqual(['a']);
    disk.refuse = null;
    await documents.flush();
    expect(readDoc(disk, 'a').getMap('rows').get('k')).toBe(2);
  });
});

describe('on a full disk', () => {
  const FULL = new SyscallError(507, 'no space left');

  /** Documents of a disk that has room once so many ways to free some were gone. */
  function full({ reserve, more, needed }: { reserve: boolean; more: boolean; needed: number }) {
    const disk = new MemoryDisk();
    const freed: string[] = [];
    const free = (what: string): void => {
      freed.push(what);
      if (freed.length >= needed) disk.refuse = null;
    };
    disk.refuse = FULL;
    if (reserve) disk.reserve = () => free('reserve');
    const documents = new Documents(disk.docs());
    documents.alsoFreedBy(async () => {
      if (more) free('more');
      return more;
    });
    return { documents, disk, freed };
  }

  test('[S112] what makes room is done again, first with what is kept free for it, then with what else can be', async () => {
    const cases = [
      [{ reserve: true, more: true, needed: 1 }, ['reserve'], 2],
      [{ reserve: true, more: true, needed: 2 }, ['reserve', 'more'], 3],
      [{ reserve: false, more: true, needed: 1 }, ['more'], 2],
    ] as const;
    for (const [about, expected, times] of cases) {
      const { documents, freed } = full(about);
      const rows = await rowsOf(documents, 'a');
      let tries = 0;
      await documents.makingRoom(async () => {
        tries += 1;
        rows.set('k', tries);
        await documents.flush();
      });
      expect([freed, tries]).toEqual([expected, times]);
    }
  });

  test('[S112] it is refused when nothing is left to be given free, and other failures are not tried again', async () => {
    const { documents } = full({ reserve: true, more: true, needed: 3 });
    (await rowsOf(documents, 'a')).set('k', 1);
    await expect(documents.makingRoom(() => documents.flush())).rejects.toMatchObject({ code: 507 });
    let tries = 0;
    const fails = (): Promise<never> => {
      tries += 1;
      return Promise.reject(new SyscallError(409, 'no'));
    };
    await expect(documents.makingRoom(fails)).rejects.toMatchObject({ code: 409 });
    expect(tries).toBe(1);
  });

  test('[S112] a removal is written once something was given free, anything else is not', async () => {
    const { documents, freed } = full({ reserve: false, more: true, needed: 1 });
    (await rowsOf(documents, 'a')).set('k', 1);
    await expect(documents.flush()).rejects.toMatchObject({ code: 507 });
    expect(freed).toEqual([]);
    await documents.flush('reserve');
    expect(freed).toEqual(['more']);
  });
});
