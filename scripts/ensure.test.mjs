import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { isInstalled } from './ensure.mjs';

const folders = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function checkout(wanted, present) {
  const folder = mkdtempSync(join(tmpdir(), 'gsv-ensure-'));
  folders.push(folder);
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages: { '': {}, ...wanted } }));
  if (present) {
    mkdirSync(join(folder, 'node_modules'));
    writeFileSync(join(folder, 'node_modules', '.package-lock.json'), JSON.stringify({ packages: present }));
  }
  return folder;
}

const one = { version: '1.0.0', integrity: 'sha512-a' };

test.each([
  ['nothing is installed', { 'node_modules/a': one }, undefined, false],
  ['everything is', { 'node_modules/a': one }, { 'node_modules/a': one }, true],
  [
    'a version is another',
    { 'node_modules/a': one },
    { 'node_modules/a': { ...one, version: '1.0.1' } },
    false,
  ],
  [
    'the contents are others',
    { 'node_modules/a': one },
    { 'node_modules/a': { ...one, integrity: 'sha512-b' } },
    false,
  ],
  [
    'a package is missing',
    { 'node_modules/a': one, 'node_modules/b': one },
    { 'node_modules/a': one },
    false,
  ],
  ['one for another platform is missing', { 'node_modules/a': { ...one, optional: true } }, {}, true],
])('[W37] when %s', (_, wanted, present, installed) => {
  expect(isInstalled(checkout(wanted, present))).toBe(installed);
});

test('[W37] a checkout without its lockfile is an error, not an installation', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gsv-ensure-'));
  folders.push(folder);
  expect(() => isInstalled(folder)).toThrow('package-lock.json');
});
