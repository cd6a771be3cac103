import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { forgetOldModules, moduleCache } from './module-cache.mjs';

let folder;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gsv-modules-'));
  mkdirSync(join(folder, 'tests'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('[W47] other compiler options, and other packages, have modules of their own', () => {
  const seen = [moduleCache(folder)];
  for (const name of ['tsconfig.base.json', 'tests/tsconfig.json', 'package-lock.json']) {
    writeFileSync(join(folder, name), '{}');
    seen.push(moduleCache(folder));
  }
  expect(new Set(seen).size).toBe(seen.length);
  expect(moduleCache(folder)).toBe(seen.at(-1));
});

test('[W47] a transformed module that is older than two weeks is forgotten', () => {
  const place = moduleCache(folder);
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, 'old'), '');
  writeFileSync(join(place, 'new'), '');
  utimesSync(join(place, 'old'), 0, 0);
  forgetOldModules(folder);
  expect(readdirSync(place)).toEqual(['new']);
});
