import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { homeContext } from '../../shared/kernel/agent/seed/home-context.ts';
import { run } from '../support/run.ts';
import { readSources, root } from '../support/sources.ts';

/** FACTS, "Numbers". */
const MOST_DESCRIPTION = 220;
/** The index of all skills stands in every prompt. Characters. */
const MOST_INDEX = 1000;
/** Seeded context of a home. Characters. */
const MOST_SEED = 1200;

const skills = readSources(['SKILL.md']).filter(({ path }) => path.startsWith('skills/'));

function parse(text: string): { name: string; description: string; body: string } {
  const match = /^---\nname: (.+)\ndescription: (.+)\n---\n([\s\S]+)$/.exec(text);
  return { name: match?.[1] ?? '', description: match?.[2] ?? '', body: match?.[3] ?? '' };
}

test('[W38] there are six to eight skills', () => {
  expect(skills.length).toBeGreaterThanOrEqual(6);
  expect(skills.length).toBeLessThanOrEqual(8);
});

describe.each(skills.map(({ path, text }) => ({ path, ...parse(text) })))(
  '$path',
  ({ path, name, description, body }) => {
    test('[W38] it has its folder’s name, a short description and a text of 30 to 80 lines', () => {
      expect(path).toBe(`skills/${name}/SKILL.md`);
      expect(description.length).toBeGreaterThan(20);
      expect(description.length).toBeLessThanOrEqual(MOST_DESCRIPTION);
      const lines = body.trim().split('\n');
      expect(lines.length).toBeGreaterThanOrEqual(30);
      expect(lines.length).toBeLessThanOrEqual(80);
    });
  },
);

test('[W38] the index of skills and the seeded home stay short', () => {
  const index = skills
    .map(({ text }) => parse(text))
    .map(({ name, description }) => `- ${name}: ${description}\n`);
  expect(index.join('').length).toBeLessThanOrEqual(MOST_INDEX);
  expect(homeContext.map((file) => file.text).join('').length).toBeLessThanOrEqual(MOST_SEED);
});

test('[W38] skills that a text names exist', () => {
  const names = skills.map(({ text }) => parse(text).name);
  const named = skills.flatMap(({ text }) =>
    [...text.matchAll(/\(skill `([a-z-]+)`\)/g)].map((match) => match[1]),
  );
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((name) => !names.includes(name ?? ''))).toEqual([]);
});

test('[W39] the build packs every skill as text', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gsv-skills-'));
  try {
    const file = join(folder, 'skills.json');
    const script = `import { packSkills } from './scripts/skills.mjs'; packSkills(${JSON.stringify(file)});`;
    await run(process.execPath, ['--input-type=module', '--eval', script], { cwd: root });
    const packed = JSON.parse(readFileSync(file, 'utf8')) as {
      name: string;
      files: { path: string; text: string }[];
    }[];
    const flat = packed.flatMap(({ name, files }) =>
      files.map(({ path, text }) => ({ path: `skills/${name}/${path}`, text })),
    );
    expect(flat).toEqual(expect.arrayContaining(skills));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
