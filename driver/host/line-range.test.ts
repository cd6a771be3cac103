import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readLineRange } from './line-range.ts';

const directory = mkdtempSync(join(tmpdir(), 'gsv-lines-'));
afterAll(() => rmSync(directory, { recursive: true }));

async function range(text: string, offset: number, limit: number, most = 10 ** 8) {
  const path = join(directory, 'file');
  writeFileSync(path, text);
  const file = await open(path);
  try {
    const { bytes, ...rest } = await readLineRange(file, offset, limit, most);
    return { text: bytes.toString(), ...rest };
  } finally {
    await file.close();
  }
}

describe('lines of a large file', () => {
  test('[D14] the lines asked for and no others, with or without a last line break', async () => {
    expect(await range('a\nb\nc\nd', 1, 2)).toEqual({ text: 'b\nc\n', linesSeen: 3, ended: false });
    expect(await range('a\nb\nc\nd', 3, 9)).toEqual({ text: 'd', linesSeen: 4, ended: true });
    expect(await range('a\nb\n', 1, 9)).toEqual({ text: 'b\n', linesSeen: 2, ended: true });
    expect(await range('a\n', 5, 9)).toEqual({ text: '', linesSeen: 1, ended: true });
    expect(await range('', 0, 1)).toEqual({ text: '', linesSeen: 0, ended: true });
  });

  test('[D14] lines that lie across the chunks of reading are whole', async () => {
    const long = 'x'.repeat(1024 * 1024 - 2);
    const text = `${long}\nsecond line\n${long}\nend\n`;
    expect((await range(text, 1, 1)).text).toBe('second line\n');
    expect((await range(text, 2, 1)).text).toBe(`${long}\n`);
    expect((await range(text, 3, 1)).text).toBe('end\n');
  });

  test('[D14] more bytes than may be answered are an error', async () => {
    await expect(range('abc\n'.repeat(100), 0, 100, 50)).rejects.toThrow('ask for fewer');
  });
});
