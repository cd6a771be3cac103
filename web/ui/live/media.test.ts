import { expect, test } from 'vitest';
import { refOf, refusalOf } from './attachments.ts';
import { fitted, shownType } from './media.ts';

test('[U241] a picture is fitted into its box, never enlarged, and has a place before its size is known', () => {
  const box = { width: 320, height: 240 };
  expect(fitted({ width: 4000, height: 3000 }, box)).toEqual({ width: 320, height: 240 });
  expect(fitted({ width: 100, height: 4000 }, box)).toEqual({ width: 6, height: 240 });
  expect(fitted({ width: 20, height: 10 }, box)).toEqual({ width: 20, height: 10 });
  expect(fitted({}, box)).toEqual({ width: 160, height: 160 });
});

test.each([
  ['\x89PNG\r\n\x1a\n', 'text/html', 'image/png'],
  ['<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml', null],
  ['<!doctype html><script>1</script>', 'image/png', null],
  ['%PDF-1.7', 'image/png', null],
  ['ID3\x03', 'image/png', 'audio/mpeg'],
])('[U242] %j that claims to be %s is shown as %s', async (content, mimeType, shown) => {
  const blob = new Blob([Uint8Array.from(content, (char) => char.charCodeAt(0))]);
  expect(await shownType(blob, { mimeType })).toBe(shown);
});

test('[U246] a file that is too large, or one too many, is refused with words', () => {
  const huge = { name: 'film.mp4', size: 200 * 1024 * 1024 };
  expect(refusalOf(huge, 0)).toBe('“film.mp4” has 200 MB; a file may have 100 MB at most.');
  expect(refusalOf({ name: 'a', size: 1 }, 20)).toBe('A message takes 20 files at most.');
  expect(refusalOf({ name: 'a', size: 1 }, 19)).toBeNull();
});

test('[U240] a message names what was stored, and nothing of how it is shown', () => {
  const media = {
    kind: 'image',
    path: '/var/media/x',
    name: 'x',
    mimeType: 'image/png',
    size: 5,
    width: 1,
  } as const;
  expect(refOf(media)).toEqual({ path: '/var/media/x', name: 'x', mimeType: 'image/png' });
});
