import { expect, test } from 'vitest';
import { alice } from '../../../tests/support/files-fixture.ts';
import { FsReplicas } from '../../../tests/support/fs-replicas.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

test('[S83] an own file becomes what it was, also while others change theirs', async () => {
  const replicas = await FsReplicas.of(2);
  const [here, there] = [replicas.at(0), replicas.at(1)];
  await here.put('f', 'before');
  replicas.settle();
  const takeBack = await here.fs.writeFile('f', bytes('refused'), alice);
  const forget = await here.fs.writeFile('new', bytes('refused'), alice);
  await there.put('g', 'theirs');
  takeBack();
  forget();
  replicas.settle();
  for (const { text, fs } of replicas.all) {
    expect(await text('f')).toBe('before');
    expect((await fs.readdir('.', alice)).map(({ name }) => name)).toEqual(['f', 'g']);
  }
});

test('[S83] what is taken back undoes nothing that another replica has written meanwhile', async () => {
  for (const [first, second] of [
    [0, 1],
    [1, 0],
  ] as const) {
    const replicas = await FsReplicas.of(2);
    const [here, there] = [replicas.at(first), replicas.at(second)];
    await there.put('f', 'before');
    replicas.settle();
    const takeBack = await here.fs.writeFile('f', bytes('refused'), alice);
    await there.put('f', 'acknowledged');
    takeBack();
    replicas.settle();
    for (const { fs, text } of replicas.all) {
      const names = (await fs.readdir('.', alice)).map(({ name }) => name);
      const shown = await Promise.all(names.map((name) => text(name)));
      expect(shown).toContain('acknowledged');
    }
  }
});
