import { describe, expect, test } from 'vitest';
import { Output } from './output.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

describe('output', () => {
  test('[D28] each taking gives what came since the last', () => {
    const output = new Output();
    output.write(bytes('a'));
    expect(output.take()).toEqual({ output: 'a' });
    expect(output.empty).toBe(true);
    output.write(bytes('b'));
    expect(output.take()).toEqual({ output: 'b' });
  });

  test('[D27] up to 200,000 characters are whole; beyond, the middle is missing and counted', () => {
    const output = new Output();
    output.write(bytes('x'.repeat(200_000)));
    expect(output.take()).toEqual({ output: 'x'.repeat(200_000) });
    output.write(bytes(`a${'x'.repeat(99_999)}`));
    for (let n = 0; n < 50; n += 1) output.write(bytes('y'.repeat(10_000)));
    output.write(bytes('z'));
    const { output: text, truncated } = output.take();
    expect(truncated).toBe(true);
    expect(text.startsWith(`a${'x'.repeat(99_999)}\n[400001 characters left out]\ny`)).toBe(true);
    expect(text.endsWith('yz')).toBe(true);
    expect(output.take()).toEqual({ output: '' });
  });

  test('[D25] a character split between two chunks is one character', () => {
    const output = new Output();
    const euro = bytes('€');
    output.write(euro.subarray(0, 1));
    output.write(euro.subarray(1));
    expect(output.take().output).toBe('€');
  });

  test('[D99] half a character at its end is shown as one that cannot be read, a whole one in pieces as it is', () => {
    const output = new Output();
    for (const byte of [0xe2, 0x82, 0xac, 0xe2, 0x82]) output.write(Uint8Array.of(byte));
    expect(output.take()).toEqual({ output: '€' });
    output.end();
    expect(output.take()).toEqual({ output: '\ufffd' });
  });
});
