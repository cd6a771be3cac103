import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { hashOf } from './inputs.mjs';

let folder;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gsv-inputs-'));
  mkdirSync(join(folder, 'src', 'deep'), { recursive: true });
  writeFileSync(join(folder, 'src', 'deep', 'a.ts'), 'a');
});
afterEach(() => rmSync(folder, { recursive: true }));

const hash = () => hashOf(folder, ['src', 'lock.json']);

test('[W45] what is built is stale when an input has other contents, another name, or is new', () => {
  const seen = [hash()];
  writeFileSync(join(folder, 'src', 'deep', 'a.ts'), 'b');
  seen.push(hash());
  writeFileSync(join(folder, 'src', 'b.ts'), '');
  seen.push(hash());
  rmSync(join(folder, 'src', 'b.ts'));
  writeFileSync(join(folder, 'src', 'c.ts'), '');
  seen.push(hash());
  writeFileSync(join(folder, 'lock.json'), '{}');
  seen.push(hash());
  expect(new Set(seen).size).toBe(seen.length);
});

test('[W45] what is built is fresh when nothing changed but times and tests', () => {
  const before = hash();
  writeFileSync(join(folder, 'src', 'deep', 'a.ts'), 'a');
  writeFileSync(join(folder, 'src', 'a.test.ts'), 'test');
  expect(hash()).toBe(before);
});
