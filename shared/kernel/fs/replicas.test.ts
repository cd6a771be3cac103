import { describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { alice, bob, codeOf, filesFixture, NOW, root } from '../../../tests/support/files-fixture.ts';
import { FsReplicas, type Replica } from '../../../tests/support/fs-replicas.ts';
import { copyName } from './conflict-copy.ts';
import { SETTLE_MS } from './lost-watch.ts';
import { NAME_BYTES } from './paths.ts';

/** Two replicas that both have `f` of alice with `base` in it. */
async function pair() {
  const replicas = await FsReplicas.of(2);
  const [here, there] = [replicas.at(0), replicas.at(1)];
  await here.put('f', 'base');
  replicas.settle();
  return { replicas, here, there };
}

async function names({ fs }: Replica, path = '.', caller = alice): Promise<string[]> {
  return (await fs.readdir(path, caller)).map(({ name }) => name);
}

const COPY = 'f (from 2026-01-02 03.04 UTC on another device)';

describe('a change that the disk refused and that was taken back', () => {
  const edit = ({ fs }: Replica, text: string): Promise<() => void> =>
    fs.writeFile('f', new TextEncoder().encode(text), alice);

  /** What one write brings to the disk goes over as one. */
  const meet = (replicas: FsReplicas): void => {
    replicas.pull(replicas.at(0), replicas.at(1));
    replicas.pull(replicas.at(1), replicas.at(0));
    replicas.settle();
  };

  test('[S101] does not undo what another replica made of the file meanwhile', async () => {
    const { replicas, here: there, there: here } = await pair();
    const takeBack = await edit(here, 'refused');
    await there.put('f', 'theirs');
    takeBack();
    expect(await here.text('f')).toBe('base');
    meet(replicas);
    for (const replica of replicas.all) {
      expect([await names(replica), await replica.text('f')]).toEqual([['f'], 'theirs']);
    }
  });

  test('[S101] nor when it was a removal, or the second of two', async () => {
    const { replicas, here, there } = await pair();
    const refused = [await edit(here, 'one'), await edit(here, 'two'), await here.fs.rm('f', alice)];
    await there.put('f', 'theirs');
    for (const takeBack of refused) takeBack();
    expect(await here.text('f')).toBe('base');
    meet(replicas);
    for (const replica of replicas.all) {
      expect([await names(replica), await replica.text('f')]).toEqual([['f'], 'theirs']);
    }
  });
});

describe('edits of one file apart', () => {
  test('[F81] keep both: the newer under the name, the other beside it, told with one id on every replica', async () => {
    const { replicas, here, there } = await pair();
    await replicas.join();
    await here.put('f', 'here');
    there.clock.pass(60_000);
    await there.put('f', 'there');
    replicas.settle();
    for (const replica of replicas.all) {
      expect(await names(replica)).toEqual(['f', COPY]);
      expect([await replica.text('f'), await replica.text(COPY)]).toEqual(['there', 'here']);
      const told = { kind: 'edited', uid: 1000, path: '/home/alice/f', keptPath: `/home/alice/${COPY}` };
      expect(replica.conflicts).toMatchObject([told]);
      expect(replica.conflicts[0]?.id).toBe(here.conflicts[0]?.id);
    }
  });

  test('[F81] also of one moment, of three replicas, and of contents in blobs', async () => {
    const replicas = await FsReplicas.of(3);
    await replicas.at(0).put('f', 'base');
    replicas.settle();
    const texts = ['a', 'b', 'c'].map((letter) => letter.repeat(5000));
    for (const [at, text] of texts.entries()) await replicas.at(at).put('f', text);
    replicas.settle();
    const shown = async (replica: Replica) =>
      Promise.all((await names(replica)).map((name) => replica.text(name)));
    const all = await shown(replicas.at(0));
    expect([...all].sort()).toEqual(texts);
    for (const replica of replicas.all) expect(await shown(replica)).toEqual(all);
  });

  test('[F81] a file that was edited after both were seen is nobody’s conflict', async () => {
    const { replicas, here, there } = await pair();
    await here.put('f', 'here');
    await there.put('f', 'there');
    replicas.settle();
    await there.put('f', 'after');
    await there.put(COPY, 'after too');
    replicas.settle();
    expect(await names(here)).toEqual(['f', COPY]);
    expect([await here.text('f'), await here.text(COPY)]).toEqual(['after', 'after too']);
  });

  test('[F81] two targets of one link are both kept', async () => {
    const { replicas, here, there } = await pair();
    await here.fs.symlink('base', 'l', alice);
    replicas.settle();
    for (const [replica, target] of [
      [here, 'one'],
      [there, 'two'],
    ] as const) {
      await replica.fs.symlink(target, 'new', alice);
      await replica.fs.rename('new', 'l', alice);
    }
    replicas.settle();
    const links = (await names(here)).filter((name) => name.startsWith('l'));
    expect(await Promise.all(links.map((name) => here.fs.readlink(name, alice)))).toEqual(['one', 'two']);
    expect(await names(there)).toEqual(await names(here));
  });

  test('[F82] the same contents are one file', async () => {
    const { replicas, here, there } = await pair();
    await here.put('f', 'same');
    await there.put('f', 'same');
    replicas.settle();
    expect([await names(here), await names(there)]).toEqual([['f'], ['f']]);
    await there.put('f', 'next');
    replicas.settle();
    expect([await here.text('f'), await names(here)]).toEqual(['next', ['f']]);
    expect(here.conflicts).toEqual([]);
  });

  test('[F83] an edit apart from a rename, a chmod and a touch is no conflict: all hold', async () => {
    const { replicas, here, there } = await pair();
    await there.fs.mkdir('d', alice);
    await there.fs.rename('f', 'd/g', alice);
    await there.fs.chmod('d/g', 0o600, alice);
    await there.fs.touch('d/g', NOW + 1_000_000, alice);
    await here.put('f', 'edited');
    replicas.settle();
    for (const replica of replicas.all) {
      expect([await names(replica), await names(replica, 'd')]).toEqual([['d'], ['g']]);
      expect(await replica.text('d/g')).toBe('edited');
      expect((await replica.fs.stat('d/g', alice)).mode).toBe(0o600);
    }
  });

  test('[F84] a file that was removed apart from an edit is there, and one removed by all is not', async () => {
    const { replicas, here, there } = await pair();
    await here.fs.rm('f', alice);
    await there.put('f', 'edited');
    replicas.settle();
    expect([await here.text('f'), await there.text('f')]).toEqual(['edited', 'edited']);
    await here.fs.rm('f', alice);
    await there.fs.rm('f', alice);
    replicas.settle();
    expect([await names(here), await names(there)]).toEqual([[], []]);
  });

  test('[F87] contents that lose once more are kept once more', async () => {
    const { replicas, here, there } = await pair();
    const conflict = async () => {
      await here.put('f', 'lost');
      there.clock.pass(120_000);
      await there.put('f', `won ${there.clock.now()}`);
      replicas.settle();
    };
    await conflict();
    await here.put(COPY, 'edited later');
    replicas.settle();
    here.clock.pass(60_000);
    await conflict();
    const texts = await Promise.all((await names(there)).map((name) => there.text(name)));
    expect(texts).toContain('lost');
    expect(texts).toContain('edited later');
    expect(await names(here)).toEqual(await names(there));
  });

  test('[F87] replicas that keep both at the same time write the same, and then nothing', async () => {
    const { replicas, here, there } = await pair();
    const third = await replicas.join();
    await here.put('f', 'here');
    await there.put('f', 'there');
    const before = replicas.all.map(({ made }) => made);
    expect(replicas.settle()).toBeLessThan(4);
    expect(replicas.all.map(({ made }, at) => made - (before[at] ?? 0))).toEqual([1, 1, 1]);
    expect(await names(third)).toEqual(['f', COPY]);
  });

  test.each([
    ['notes.md', 'notes (from 2026-01-02 03.04 UTC on another device).md'],
    ['.bashrc', '.bashrc (from 2026-01-02 03.04 UTC on another device)'],
    ['a.tar.gz', 'a.tar (from 2026-01-02 03.04 UTC on another device).gz'],
  ])('[F92] the other version of %s is called %s', (name, copy) => {
    expect(copyName(name, NOW)).toBe(copy);
  });

  test('[F92] a name stays as short as a name must be, and keeps its ending', () => {
    const longest = copyName(`${'ä'.repeat(125)}.text`, NOW);
    expect(new TextEncoder().encode(longest).length).toBeLessThanOrEqual(NAME_BYTES);
    expect(longest).toMatch(/^ä+ \(from .*\)\.text$/);
    expect(copyName(`a.${'e'.repeat(250)}`, Number.MAX_SAFE_INTEGER)).toMatch(/^a\.e+ \(from /);
  });
});

describe('directories changed apart', () => {
  test('[F85] a directory that was removed apart from a new file in it is shown again, with that file alone', async () => {
    const { replicas, here, there } = await pair();
    await here.fs.mkdir('d', alice);
    await here.put('d/old', 'old');
    replicas.settle();
    await here.fs.rm('d', alice, { recursive: true });
    there.clock.pass(1000);
    await there.put('d/new', 'new');
    replicas.settle();
    for (const replica of replicas.all) expect(await names(replica, 'd')).toEqual(['new']);
  });

  test('[F85] what was made further down comes to /lost+found of its owner, and to no one else', async () => {
    const { replicas, here, there } = await pair();
    await here.fs.mkdir('d/e', alice, { recursive: true });
    replicas.settle();
    await here.fs.rm('d', alice, { recursive: true });
    there.clock.pass(1000);
    await there.put('d/e/new', 'new');
    replicas.settle();
    for (const replica of replicas.all) {
      expect(await replica.text('/lost+found/1000/e/new')).toBe('new');
      expect(await codeOf(replica.fs.readdir('/lost+found/1000', bob))).toBe('EACCES');
      expect(await names(replica, '/lost+found', bob)).toEqual(['1000']);
    }
  });

  test('[F90] /lost+found is there while something is in it, gives it back to its owner, and is nobody’s to change', async () => {
    const { replicas, here, there } = await pair();
    expect(await names(here, '/')).not.toContain('lost+found');
    await here.fs.mkdir('d/e', alice, { recursive: true });
    replicas.settle();
    await here.fs.rm('d', alice, { recursive: true });
    there.clock.pass(1000);
    await there.put('d/e/new', 'new');
    replicas.settle();
    for (const path of ['/lost+found', '/lost+found/1000']) {
      expect(await codeOf(here.fs.rm(path, root, { recursive: true }))).toBe('EPERM');
      expect(await codeOf(here.fs.rename(path, '/x', root))).toBe('EPERM');
      expect(await codeOf(here.fs.chmod(path, 0o777, root))).toBe('EPERM');
    }
    await here.fs.rename('/lost+found/1000/e', 'back', alice);
    replicas.settle();
    expect(await there.text('back/new')).toBe('new');
    for (const replica of replicas.all) expect(await replica.fs.exists('/lost+found', root)).toBe(false);
  });

  test('[F86] of two directories moved into each other the lower inode comes to /lost+found with the other in it', async () => {
    const { replicas, here, there } = await pair();
    await here.fs.mkdir('a', alice);
    await here.fs.mkdir('b', alice);
    await here.put('b/f', 'text');
    replicas.settle();
    await here.fs.rename('a', 'b/a', alice);
    await there.fs.rename('b', 'a/b', alice);
    replicas.settle();
    for (const replica of replicas.all) {
      expect(await replica.text('/lost+found/1000/a/b/f')).toBe('text');
      expect(await names(replica)).toEqual(['f']);
      expect(await names(replica, '/lost+found/1000/a/b')).toEqual(['f']);
    }
    await here.fs.rename('/lost+found/1000/a', 'a', alice);
    replicas.settle();
    expect(await there.text('a/b/f')).toBe('text');
  });

  test('[F91] the owner is told of what was lost once it stays lost, and not of what was on its way', async () => {
    const { replicas, here, there } = await pair();
    const third = await replicas.join();
    await third.fs.mkdir('d', alice);
    replicas.deliver(here);
    await here.put('d/f', 'text');
    replicas.deliver(there, 1);
    expect(await there.text('/lost+found/1000/f')).toBe('text');
    there.clock.pass(SETTLE_MS - 1);
    replicas.settle();
    there.clock.pass(SETTLE_MS);
    expect(there.conflicts).toEqual([]);
    await here.fs.mkdir('d/e', alice);
    replicas.settle();
    await here.fs.rm('d', alice, { recursive: true });
    there.clock.pass(1000);
    await there.put('d/e/new', 'new');
    replicas.settle();
    for (const { clock } of replicas.all) clock.pass(SETTLE_MS);
    const told = { kind: 'lost', uid: 1000, path: 'e', keptPath: '/lost+found/1000/e' };
    for (const { conflicts } of replicas.all) expect(conflicts).toMatchObject([told]);
    expect(here.conflicts[0]?.id).toBe(there.conflicts[0]?.id);
  });

  test('[F89] a directory’s time is that of the last entry made, removed or renamed in it, and never a conflict', async () => {
    const { replicas, here, there } = await pair();
    const time = async ({ fs }: Replica, path: string) => (await fs.stat(path, alice)).mtime - NOW;
    await here.fs.mkdir('d', alice);
    await here.fs.mkdir('e', alice);
    here.clock.pass(10);
    await here.put('d/a', '');
    expect(await time(here, 'd')).toBe(10);
    here.clock.pass(10);
    await here.put('d/a', 'edited');
    expect(await time(here, 'd')).toBe(10);
    await here.fs.rename('d/a', 'e/a', alice);
    expect([await time(here, 'd'), await time(here, 'e')]).toEqual([20, 20]);
    here.clock.pass(10);
    await here.fs.rm('e/a', alice);
    expect(await time(here, 'e')).toBe(30);
    replicas.settle();
    here.clock.pass(100);
    there.clock.pass(50);
    await here.put('d/here', '');
    await there.put('d/there', '');
    await there.fs.chmod('d', 0o700, alice);
    replicas.settle();
    for (const replica of replicas.all) {
      expect(await replica.fs.stat('d', alice)).toMatchObject({ mtime: NOW + 130, mode: 0o700 });
      expect(await names(replica, 'd')).toEqual(['here', 'there']);
      expect(await names(replica)).toEqual(['d', 'e', 'f']);
    }
  });
});

describe('rows of others', () => {
  test('[F88] a row of an older version, without versions, is read, and gives way to any change', async () => {
    const { replicas, here, there } = await pair();
    const row = { parent: '/tmp', name: 'old', kind: 'file', mode: 0o644, uid: 1000, gid: 100 };
    here.doc.getMap('inodes').set('aa', { ...row, size: 3, mtime: NOW, content: { text: 'old' } });
    replicas.settle();
    expect(await there.text('/tmp/old')).toBe('old');
    await there.put('/tmp/old', 'new');
    await here.fs.chmod('/tmp/old', 0o600, alice);
    replicas.settle();
    expect([await here.text('/tmp/old'), await names(here, '/tmp')]).toEqual(['new', ['old']]);
    expect((await there.fs.stat('/tmp/old', alice)).mode).toBe(0o600);
  });

  test('[F95] what the kernel makes by itself on every replica is made once, and gives way to what people make of it', async () => {
    const { replicas, here, there } = await pair();
    const shipping = { ...alice, onEveryReplica: true };
    const ship = async ({ fs }: Replica, text: string) => {
      await fs.mkdir('skills.d/plan', shipping, { recursive: true });
      await fs.writeFile('skills.d/plan/SKILL.md', new TextEncoder().encode(text), shipping);
    };
    await ship(here, 'of today');
    await here.put('skills.d/plan/SKILL.md', 'mine');
    await ship(there, 'of yesterday');
    replicas.settle();
    for (const replica of replicas.all) {
      expect(await names(replica)).toEqual(['f', 'skills.d']);
      expect(await names(replica, 'skills.d')).toEqual(['plan']);
      expect(await names(replica, 'skills.d/plan')).toEqual(['SKILL.md']);
    }
    await here.put('skills.d/plan/SKILL.md', 'mine');
    await here.fs.rename('skills.d/plan', 'skills.d/own', alice);
    await ship(here, 'again');
    replicas.settle();
    expect(await there.text('skills.d/own/SKILL.md')).toBe('mine');
    expect(await there.text('skills.d/plan/SKILL.md')).toBe('again');
  });

  test('[F93] the directories that a newcomer begins with undo nothing that was changed', async () => {
    const { here } = await pair();
    await here.fs.chmod('/tmp', 0o700, root);
    for (const clientID of [1, 2 ** 31]) {
      const doc = new Y.Doc();
      doc.clientID = clientID;
      await filesFixture(doc, here.blobs, 7);
      Y.applyUpdate(doc, Y.encodeStateAsUpdate(here.doc));
      Y.applyUpdate(here.doc, Y.encodeStateAsUpdate(doc));
      expect((await here.fs.stat('/tmp', root)).mode).toBe(0o700);
    }
  });
});
