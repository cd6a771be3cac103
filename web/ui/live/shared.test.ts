import { expect, test } from 'vitest';
import { sharedMessage, sharedPath, sharedWords } from './shared.ts';

const now = new Date('2026-11-22T05:30:00Z');

test('[U161] a shared file goes to a folder of its own below the home, whatever it is called', () => {
  expect(sharedPath('/home/ada', 'a.txt', now)).toBe('/home/ada/shared/2026-11-22 05.30.00/a.txt');
  expect(sharedPath('/home/ada', '../../etc/passwd', now)).toMatch(/05\.30\.00\/\.\._\.\._etc_passwd$/);
  expect(sharedPath('/home/ada', '..', now)).toMatch(/\/_$/);
  expect(sharedPath('/home/ada', '', now)).toMatch(/\/file$/);
});

test('[U161] the draft has what was said and where the files are; the offer names it in a few words', () => {
  expect(sharedMessage('look', ['/a', '/b'])).toBe('look\nFile: /a\nFile: /b');
  const file = new File([''], 'a.txt');
  expect(sharedWords({ text: '', files: [file] })).toBe('“a.txt”');
  expect(sharedWords({ text: 'x', files: [file, file] })).toBe('2 files');
  expect(sharedWords({ text: 'first\nsecond', files: [] })).toBe('“first”');
});
