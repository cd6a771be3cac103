import { describe, expect, test } from 'vitest';
import { numberLines } from './number-lines.ts';

describe('numbered lines', () => {
  test('[D1] each line carries its number from 1, right-aligned to six, and a tab', () => {
    expect(numberLines('a\nb\n')).toEqual({ content: '     1\ta\n     2\tb', lines: 2 });
  });

  test('[D1] an empty text has no lines and a lone line break is one empty line', () => {
    expect(numberLines('')).toEqual({ content: '', lines: 0 });
    expect(numberLines('\n')).toEqual({ content: '     1\t', lines: 1 });
  });

  test('[D2] offset counts from 0, limit counts lines, and lines tells the length of the whole text', () => {
    expect(numberLines('a\nb\nc\nd', 1, 2)).toEqual({ content: '     2\tb\n     3\tc', lines: 4 });
    expect(numberLines('a\nb', 5)).toEqual({ content: '', lines: 2 });
  });

  test('[D1] a carriage return is kept, so that an edit can match it', () => {
    expect(numberLines('a\r\nb').content).toBe('     1\ta\r\n     2\tb');
  });
});
