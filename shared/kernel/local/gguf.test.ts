import { expect, test } from 'vitest';
import { tinyGguf } from '../../../tests/support/tiny-gguf.ts';
import { readGguf } from './gguf.ts';

test('[A108] a GGUF file says its name, architecture, window and template before anything runs it', () => {
  expect(readGguf(tinyGguf({ contextWindow: 2_048 }))).toEqual({
    name: 'tiny',
    architecture: 'llama',
    contextWindow: 2_048,
    chatTemplate: true,
  });
});

test('[A108] what is no GGUF file is refused in words, and a head that ends early leaves the rest unknown', () => {
  const file = tinyGguf();
  expect(() => readGguf(new TextEncoder().encode('<!doctype html><title>Sign in</title>'))).toThrow(
    'not a GGUF',
  );
  expect(() => readGguf(new Uint8Array(0))).toThrow('not a GGUF');
  const other = file.slice();
  other[4] = 9;
  expect(() => readGguf(other)).toThrow('version 9');
  expect(readGguf(file.subarray(0, 400))).toMatchObject({ architecture: 'llama', chatTemplate: false });
});
