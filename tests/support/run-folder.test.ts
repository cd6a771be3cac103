import { existsSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { setup } from './run-folder.ts';

/** Beyond what any system gives a process. */
const NOBODY = 2 ** 30;

test('[W48] temporary files of tests lie in one folder, which goes with their run', () => {
  const before = tmpdir();
  expect(basename(before)).toMatch(/^gsv-run-\d+-/);
  const end = setup();
  const folder = tmpdir();
  expect(folder).not.toBe(before);
  end();
  expect([existsSync(folder), tmpdir()]).toEqual([false, before]);
});

test('[W48] what a killed run has left goes with the next one, and that of one that goes on stays', () => {
  const dead = join(tmpdir(), `gsv-run-${NOBODY}-dead`);
  const going = join(tmpdir(), `gsv-run-${process.pid}-going`);
  for (const folder of [dead, going]) mkdirSync(folder);
  setup()();
  expect([existsSync(dead), existsSync(going)]).toEqual([false, true]);
});
