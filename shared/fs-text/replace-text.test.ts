import { describe, expect, test } from 'vitest';
import { replaceText } from './replace-text.ts';

describe('exact replacement', () => {
  test('[D3] one exact match is replaced, dollar signs and all', () => {
    expect(replaceText('a b c', 'b', '$&$1')).toEqual({ ok: true, text: 'a $&$1 c', replacements: 1 });
  });

  test('[D3] several matches need replaceAll, and the refusal says how many there are', () => {
    expect(replaceText('x x x', 'x', 'y')).toMatchObject({
      ok: false,
      error: expect.stringContaining('3 times'),
    });
    expect(replaceText('x x x', 'x', 'y', true)).toEqual({ ok: true, text: 'y y y', replacements: 3 });
  });

  test('[D3] an empty, missing or unchanged oldString is refused with its reason', () => {
    expect(replaceText('a', '', 'b')).toMatchObject({ ok: false, error: expect.stringContaining('empty') });
    expect(replaceText('a', 'z', 'b')).toMatchObject({
      ok: false,
      error: expect.stringContaining('not found'),
    });
    expect(replaceText('a', 'a', 'a')).toMatchObject({ ok: false, error: expect.stringContaining('equal') });
  });

  test('[D3] a text that differs in its line ends only is refused with that hint', () => {
    expect(replaceText('a\r\nb\r\n', 'a\nb', 'c')).toMatchObject({
      error: expect.stringContaining('\\r\\n'),
    });
  });
});
