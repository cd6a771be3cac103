import { expect, test } from 'vitest';
import { readSources, readText } from '../support/sources.ts';
import { citedRules, statedRules } from '../support/spec-rules.ts';

const own = 'tests/structure/spec.test.ts';
// Contract suites are modules without `.test` in their name.
const tests = readSources(['.ts', '.tsx', '.mjs']).filter(
  ({ path }) => path !== own && (path.startsWith('tests/') || /\.test\.(ts|tsx|mjs)$/.test(path)),
);
const cited = citedRules(tests);

test('[W35] every rule of SPEC.md is cited by a test', () => {
  const stated = statedRules(readText('SPEC.md'));
  expect(stated.length).toBeGreaterThan(100);
  const known = new Set(['W35', ...cited.keys()]);
  expect(stated.filter((id) => !known.has(id))).toEqual([]);
});

test('[W35] every rule that a test cites is in SPEC.md, and no id is used twice', () => {
  const stated = statedRules(readText('SPEC.md'));
  const unknown = [...cited].filter(([id]) => !stated.includes(id));
  expect(unknown.map(([id, paths]) => `${id} in ${[...new Set(paths)].join(', ')}`)).toEqual([]);
  expect(stated.filter((id, at) => stated.indexOf(id) !== at)).toEqual([]);
});

test('[W35] every test title begins with a rule', () => {
  const title = /^\s*(?:test|it)(?:\.(?:each|concurrent|for)\b[^'"`]*)?\(\s*(['"`])(?!\[(?:[A-Z]\d+|%s)\])/m;
  const bare = tests.filter(({ path, text }) => /\.test\./.test(path) && title.test(text));
  expect(bare.map(({ path }) => path)).toEqual([]);
});

test('[W35] rules and citations are read as they are written', () => {
  expect(
    statedRules('# F\n- **F1** A sentence.\n- **F12** Another.\n- *F3* not one\ntext **F4** no\n'),
  ).toEqual(['F1', 'F12']);
  const text = "test('[F1] one', () => {});\ntest(`[K2] [K3] two`, () => {});\nconst list = rows[A1];\n";
  expect([...citedRules([{ path: 'a.test.ts', text }]).keys()]).toEqual(['F1', 'K2', 'K3']);
  const rows = "test.each([['F5', 1], ['F6', 2]])('[%s] %i', () => {});\n";
  expect([...citedRules([{ path: 'b.test.ts', text: rows }]).keys()]).toEqual(['F5', 'F6']);
});
