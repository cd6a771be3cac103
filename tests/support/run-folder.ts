import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const NAME = /^gsv-run-(\d+)-/;

/**
 * Before the tests of a project: what they, and the programs that they start, put among the temporary files lies in
 * one folder of this run and goes with it. What a run that was killed has left goes with the next one.
 */
export function setup(): () => void {
  const before = process.env.TMPDIR;
  const all = tmpdir();
  for (const name of readdirSync(all)) {
    if (isLeft(name)) rmSync(join(all, name), { recursive: true, force: true });
  }
  const folder = mkdtempSync(join(all, `gsv-run-${process.pid}-`));
  process.env.TMPDIR = folder;
  return () => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    // A browser that was ended may still write into its profile for a moment.
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  };
}

function isLeft(name: string): boolean {
  const pid = NAME.exec(name)?.[1];
  if (pid === undefined) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
