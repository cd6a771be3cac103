import { expect, test } from 'vitest';
import { readSources } from '../support/sources.ts';

const MOST_LINES = 400;
const sources = readSources(['.ts', '.tsx', '.mjs', '.css']);
const kebab = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)+$/;
/** Tools and runtimes that ask for a default export. */
const defaultExporters = /^(vite|vitest)[a-z.]*\.config\.ts$|^sync-server\/hosts\//;

function pathsWhere(wrong: (path: string, text: string) => boolean): string[] {
  return sources.filter(({ path, text }) => wrong(path, text)).map(({ path }) => path);
}

test('[W32] no file is longer than 400 lines', () => {
  expect(sources.length).toBeGreaterThan(30);
  expect(pathsWhere((_, text) => text.trimEnd().split('\n').length > MOST_LINES)).toEqual([]);
});

test('[W32] file names are kebab-case', () => {
  expect(pathsWhere((path) => !kebab.test(path.split('/').at(-1) ?? ''))).toEqual([]);
});

test('[W32] there are no barrels and no index modules', () => {
  expect(pathsWhere((path) => /(^|\/)index\.(ts|tsx|mjs)$/.test(path))).toEqual([]);
  expect(pathsWhere((_, text) => /^export \* from/m.test(text))).toEqual([]);
});

test('[W32] only tools and hosts get default exports', () => {
  expect(pathsWhere((path, text) => !defaultExporters.test(path) && /^export default\b/m.test(text))).toEqual(
    [],
  );
});

test('[W32] no test is skipped, focused or left to be written', () => {
  const parked = /\b(?:test|describe|it|suite)\.(?:only|skip|todo|fails)\b/;
  const hits = pathsWhere((path, text) => /\.test\.(ts|mjs)$/.test(path) && parked.test(text));
  expect(hits).toEqual([]);
});
