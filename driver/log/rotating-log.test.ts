import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { ManualClock } from '../../tests/support/manual-clock.ts';
import { rotatingLog } from './rotating-log.ts';

const directory = mkdtempSync(join(tmpdir(), 'gsv-log-'));
afterAll(() => rmSync(directory, { recursive: true }));

describe('the log', () => {
  test('[D47] it goes on in a new file when one is full, and keeps three in all', () => {
    const path = join(directory, 'log');
    const log = rotatingLog(path, new ManualClock(), 500);
    for (let n = 0; n < 60; n += 1) log({ level: 'info', event: `e${n}` });
    expect(readdirSync(directory).sort()).toEqual(['log', 'log.1', 'log.2']);
    const lines = ['log.2', 'log.1', 'log'].flatMap((name) => {
      const text = readFileSync(join(directory, name), 'utf8');
      expect(text.length).toBeLessThanOrEqual(500);
      return text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
    });
    expect(lines.at(-1)).toEqual({ time: '1970-01-01T00:00:00.000Z', level: 'info', event: 'e59' });
    const numbers = lines.map(({ event }) => Number(event.slice(1)));
    expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, n) => 60 - numbers.length + n));
  });

  test('[D93] a log that cannot go on in a new file writes into no other', () => {
    const folder = join(directory, 'gone');
    mkdirSync(folder);
    const log = rotatingLog(join(folder, 'log'), new ManualClock(), 200);
    rmSync(folder, { recursive: true });
    for (let n = 0; n < 5; n += 1) log({ level: 'info', event: 'lost' });
    const other = openSync(join(directory, 'other'), 'w');
    for (let n = 0; n < 5; n += 1) log({ level: 'info', event: 'lost' });
    closeSync(other);
    expect(readFileSync(join(directory, 'other'), 'utf8')).toBe('');
  });
});
