import { describe, expect, test } from 'vitest';
import { imageType } from './image-type.ts';
import { isBinary } from './is-binary.ts';

const bytes = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));

describe('kinds of files', () => {
  test('[D5] an image is known by its first bytes', () => {
    expect(imageType(bytes('\x89PNG\r\n\x1a\n...'))).toBe('image/png');
    expect(imageType(bytes('\xff\xd8\xff\xe0'))).toBe('image/jpeg');
    expect(imageType(bytes('GIF89a..'))).toBe('image/gif');
    expect(imageType(bytes('RIFF\x10\x00\x00\x00WEBPVP8 '))).toBe('image/webp');
    expect(imageType(bytes('RIFF\x10\x00\x00\x00WAVE'))).toBeUndefined();
    expect(imageType(bytes('\x89PN'))).toBeUndefined();
  });

  test('[D6] a NUL or many control characters make a file binary; colours and accents do not', () => {
    expect(isBinary(bytes('text\0'))).toBe(true);
    expect(isBinary(bytes('\x01\x02\x03abc'))).toBe(true);
    expect(isBinary(new TextEncoder().encode('\x1b[31mréd\x1b[0m\tü\r\n'))).toBe(false);
    expect(isBinary(new Uint8Array())).toBe(false);
  });
});
