import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const directory = mkdtempSync(join(tmpdir(), 'gsv-overwrite-'));
const [program, from, target] = ['program.mjs', 'from', 'target'].map((name) => join(directory, name)) as [
  string,
  string,
  string,
];
const LIMIT_BYTES = 64 * 512;

beforeAll(() =>
  build({
    input: fileURLToPath(new URL('./overwrite.ts', import.meta.url)),
    platform: 'node',
    logLevel: 'silent',
    output: { file: program, format: 'esm' },
  }),
);
afterAll(() => rmSync(directory, { recursive: true }));

/** Overwrites in a process whose files may have so many bytes. Gives the code of its error. */
function overwriteWithin(size: number): string {
  const script = `import { overwrite } from ${JSON.stringify(program)};
    await overwrite(${JSON.stringify(from)}, ${JSON.stringify(target)}, ${size})
      .then(() => process.stdout.write('done'), (error) => process.stdout.write(error.code));`;
  const node = ['-c', 'ulimit -f 64; exec "$@"', 'sh', process.execPath, '--input-type=module', '-e', script];
  return execFileSync('/bin/sh', node, { encoding: 'utf8' });
}

describe('overwriting a file that stays the same file', () => {
  test.each([0, 10_000, LIMIT_BYTES])('[D96] to %i bytes', (length) => {
    writeFileSync(target, 'o'.repeat(20_000));
    writeFileSync(from, 'n'.repeat(length));
    expect(overwriteWithin(20_000)).toBe('done');
    expect(readFileSync(target, 'utf8')).toBe('n'.repeat(length));
  });

  test('[D96] where there is no room for all of it, it is as it was', () => {
    writeFileSync(target, 'o'.repeat(20_000));
    writeFileSync(from, 'n'.repeat(LIMIT_BYTES + 1));
    expect(overwriteWithin(20_000)).toBe('EFBIG');
    expect(readFileSync(target, 'utf8')).toBe('o'.repeat(20_000));
  });
});
