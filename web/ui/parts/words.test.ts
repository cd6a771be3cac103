import { describe, expect, test } from 'vitest';
import {
  bytes,
  clockTime,
  count,
  duration,
  momentOfDay,
  money,
  sentences,
  stopwatch,
  tokens,
} from './words.ts';

describe('numbers in words', () => {
  test('[U24] durations, tokens and money are as long as they are useful', () => {
    expect([38, 412, 1_234, 12_400, 72_000, 3_700_000].map(duration)).toEqual([
      '38 ms',
      '412 ms',
      '1.2 s',
      '12 s',
      '1 m 12 s',
      '1 h 01 m',
    ]);
    expect([900, 14_200, 74_000, 200_000, 1_250_000].map(tokens)).toEqual([
      '900',
      '14.2k',
      '74k',
      '200k',
      '1.3M',
    ]);
    expect([0.004, 0.07, 1.5].map(money)).toEqual(['< $0.01', '$0.07', '$1.50']);
    expect([count(1, 'file'), count(1_204, 'file')]).toEqual(['1 file', '1,204 files']);
    expect([48_000, 3_729_000].map(stopwatch)).toEqual(['00:48', '1:02:09']);
    expect([12, 1_536, 2_048, 512 * 1_024 ** 2, 2.5 * 1_024 ** 3, 3 * 1_024 ** 5].map(bytes)).toEqual([
      '12 bytes',
      '1.5 KB',
      '2 KB',
      '512 MB',
      '2.5 GB',
      '3072 TB',
    ]);
  });

  test('[U24] a time is the coarser the older it is', () => {
    const now = new Date(2026, 10, 19, 15, 0).getTime();
    const at = (...parts: [number, number, number, number, number]) =>
      clockTime(new Date(...parts).getTime(), now, 'en-GB');
    expect(at(2026, 10, 19, 14, 59)).toBe('1 m');
    expect(at(2026, 10, 19, 9, 12)).toBe('09:12');
    expect(at(2026, 10, 16, 9, 12)).toBe('Mon');
    expect(at(2026, 9, 3, 9, 12)).toBe('3 Oct');
    expect(at(2025, 2, 3, 9, 12)).toBe('Mar 2025');
  });

  test('[U24] a moment says its day only when it is not today', () => {
    const now = new Date(2026, 10, 19, 15, 0).getTime();
    const at = (day: number): string => momentOfDay(new Date(2026, 10, day, 14, 5).getTime(), now, 'en-GB');
    expect([at(19), at(17), at(3)]).toEqual(['14:05', 'Tue 14:05', '3 Nov 14:05']);
  });

  test('[U24] what others say becomes whole sentences', () => {
    expect(sentences('Gone.', null, ' no route ', '', 'Kept')).toBe('Gone. no route. Kept.');
  });
});
