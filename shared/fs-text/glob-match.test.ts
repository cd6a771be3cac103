import { describe, expect, test } from 'vitest';
import { compileGlob } from './glob-match.ts';

const cases: [pattern: string, path: string, matches: boolean][] = [
  ['*.ts', 'a.ts', true],
  ['*.ts', 'deep/down/a.ts', true],
  ['*.ts', 'a.tsx', false],
  ['*.{ts,tsx}', 'a.tsx', true],
  ['{a,b{c,d}}.md', 'bd.md', true],
  ['{a,b{c,d}}.md', 'b.md', false],
  ['a?c', 'abc', true],
  ['a?c', 'ac', false],
  ['[a-c]x[!0-9]', 'bxy', true],
  ['[a-c]x[!0-9]', 'bx1', false],
  ['src/*.ts', 'src/a.ts', true],
  ['src/*.ts', 'src/in/a.ts', false],
  ['src/**/*.ts', 'src/a.ts', true],
  ['src/**/*.ts', 'src/in/er/a.ts', true],
  ['src/**', 'src/in/er/a.ts', true],
  ['**/in/*', 'src/in/a', true],
  ['**/in/*', 'src/inn/a', false],
  ['./a.ts', 'a.ts', true],
  ['a.b', 'axb', false],
  ['\\*', '*', true],
  ['\\*', 'a', false],
  ['*', '', true],
];

describe('globs', () => {
  test.each(cases)('[D4] %s against %s is %s', (pattern, path, matches) => {
    expect(compileGlob(pattern)(path)).toBe(matches);
  });

  test('[D4] a hostile pattern takes no longer than its length times the path', () => {
    const glob = compileGlob(`${'*a'.repeat(120)}b`);
    const started = performance.now();
    expect(glob('a'.repeat(4000))).toBe(false);
    expect(performance.now() - started).toBeLessThan(2000);
  });
});
