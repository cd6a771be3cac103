import { describe, expect, test } from 'vitest';
import { alice, filesFixture, root } from '../../../tests/support/files-fixture.ts';
import { readSkillHead } from './skill-head.ts';
import { readSkillIndex } from './skills-index.ts';

async function withSkills(...paths: [path: string, text: string][]) {
  const fixture = await filesFixture();
  for (const [path, text] of paths) {
    await fixture.fs.mkdir(path.replace(/\/[^/]*$/, ''), root, { recursive: true });
    await fixture.put(path, text, root);
  }
  return fixture;
}
const skill = (name: string, description: string) =>
  `---\nname: ${name}\ndescription: ${description}\n---\nBody`;

describe('the index of skills', () => {
  test('[F69] a skill of the home hides a package’s of the same id', async () => {
    const { fs } = await withSkills(
      ['/home/alice/skills.d/a/SKILL.md', skill('a', 'mine')],
      ['/src/packages/p/skills.d/a/SKILL.md', skill('a', 'theirs')],
      ['/src/packages/p/skills.d/b/SKILL.md', skill('b', 'b')],
    );
    expect(await readSkillIndex(fs, alice)).toEqual([
      {
        id: 'a',
        name: 'a',
        description: 'mine',
        directory: '/home/alice/skills.d/a',
        source: { kind: 'home', label: '~/skills.d', writable: true },
      },
      {
        id: 'b',
        name: 'b',
        description: 'b',
        directory: '/src/packages/p/skills.d/b',
        source: { kind: 'package', label: 'p', writable: false },
      },
    ]);
  });

  test('[F70] skills are found four directories deep, descriptions end at 220 characters, and a broken one is not fatal', async () => {
    const { fs } = await withSkills(
      ['/home/alice/skills.d/1/2/3/4/SKILL.md', skill('four', 'x '.repeat(200))],
      ['/home/alice/skills.d/1/2/3/x/5/SKILL.md', skill('five', 'too deep')],
      ['/home/alice/skills.d/bare/SKILL.md', 'no head at all'],
      ['/home/alice/skills.d/locked/SKILL.md', skill('locked', 'unreadable')],
      ['/home/alice/skills.d/notes.txt', 'no skill'],
    );
    await fs.chmod('/home/alice/skills.d/locked/SKILL.md', 0, root);
    const index = await readSkillIndex(fs, alice);
    expect(index.map(({ id, name }) => [id, name])).toEqual([
      ['1/2/3/4', 'four'],
      ['bare', 'bare'],
    ]);
    expect(index[0]?.description.length).toBeLessThanOrEqual(220);
    expect(index[0]?.description.endsWith('…')).toBe(true);
  });

  test('[F70] without any skill the index is empty', async () => {
    const { fs } = await filesFixture();
    expect(await readSkillIndex(fs, alice)).toEqual([]);
  });
});

describe('the head of a SKILL.md', () => {
  test.each([
    ['---\nname: a\ndescription: "b: c"\n---\nbody', { name: 'a', description: 'b: c' }, 'body'],
    ['---\r\nname: a\r\n---\r\nbody', { name: 'a' }, 'body'],
    ['---\ndescription: >\n  one\n  two\nname: a\n---\n', { description: 'one two', name: 'a' }, ''],
    ['# no head', {}, '# no head'],
    ['---\nname: never closed', {}, '---\nname: never closed'],
  ])('[F71] %j', (text, fields, body) => {
    expect(readSkillHead(text)).toEqual({ fields, body });
  });
});
