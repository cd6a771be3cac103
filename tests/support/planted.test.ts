import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { Planted } from './planted.ts';

test('[S200] the scan finds what was planted in every encoding, wherever it begins', () => {
  const planted = new Planted();
  const text = planted.one('note');
  const other = planted.one('note');
  const around = (inner: Buffer): Buffer =>
    Buffer.concat([Buffer.from([255, 0, 7]), inner, Buffer.from('~')]);
  const found = (bytes: Buffer): string[] => [...planted.in([around(bytes)])];
  for (let before = 0; before < 4; before += 1) {
    const plain = Buffer.from(`${'x'.repeat(before)}{"a":"${text}"}`);
    expect(found(plain)).toEqual([text]);
    expect(found(Buffer.from(plain.toString('base64')))).toEqual([text]);
    expect(found(Buffer.from(plain.toString('base64url')))).toEqual([text]);
    expect(found(Buffer.from(plain.toString('hex')))).toEqual([text]);
    expect(found(Buffer.from(plain.toString('utf8'), 'utf8'))).toEqual([text]);
    expect(found(Buffer.from(`a${plain}`, 'utf16le'))).toEqual([text]);
    expect(found(gzipSync(plain))).toEqual([text]);
    expect(found(Buffer.from(gzipSync(plain).toString('base64')))).toEqual([text]);
  }
  expect(found(Buffer.from(other.slice(0, -1)))).toEqual([]);
  expect([...planted.in([Buffer.from(text), Buffer.from(other)])]).toEqual([text, other]);
});
