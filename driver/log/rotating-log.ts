import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';
import type { Clock } from '../../shared/std/clock.ts';
import type { Log } from './log.ts';

/** Where a file ends and the next begins, and how many there are with the current one. */
const FILE_BYTES = 5 * 1024 * 1024;
const FILES = 3;

/**
 * A log of JSON lines, readable by its owner only: `path` and two older files `path.1`, `path.2`. Throws when the
 * file cannot be opened; later failures to write lose lines, never the driver.
 */
export function rotatingLog(path: string, clock: Clock, fileBytes = FILE_BYTES): Log {
  let file = openSync(path, 'a', 0o600);
  let size = fstatSync(file).size;
  const rotate = (): void => {
    for (let older = FILES - 1; older > 0; older -= 1)
      shift(older === 1 ? path : `${path}.${older - 1}`, `${path}.${older}`);
    // Opened before the old one is closed: the number of a closed file is soon another file's.
    const next = openSync(path, 'a', 0o600);
    closeSync(file);
    file = next;
    size = 0;
  };
  return (event) => {
    const line = `${JSON.stringify({ time: new Date(clock.now()).toISOString(), ...event })}\n`;
    try {
      if (size > 0 && size + line.length > fileBytes) rotate();
      size += writeSync(file, line);
    } catch {
      // A full disk must not stop the work that is logged.
    }
  };
}

function shift(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch {
    // There are not that many files yet.
  }
}
