import { unzipSync, zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { inChunks } from '../../../tests/support/backup-host.ts';
import { realRandom } from '../../../tests/support/platform.ts';
import { concatBytes, sha256Hex } from '../../std/bytes.ts';
import { ByteReader } from './byte-reader.ts';
import { Crc32 } from './crc32.ts';
import { isWorthPacking, type Packed, Packer, store } from './pack.ts';
import { centralHeader, endOf, stampOf } from './zip-format.ts';
import { readEntries } from './zip-reader.ts';
import { ZipWriter } from './zip-writer.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);
const never = new AbortController().signal;

function packed(...pieces: Uint8Array[]): Packed {
  const packer = new Packer();
  for (const piece of pieces) packer.add(piece);
  return packer.finish();
}

function written(entries: [string, Packed][]): Uint8Array {
  const zip = new ZipWriter(Date.UTC(2026, 4, 17, 12, 30, 8));
  return concatBytes([...entries.flatMap(([name, entry]) => [...zip.entry(name, entry)]), ...zip.end()]);
}

async function read(file: Uint8Array, size = file.length): Promise<Record<string, Uint8Array>> {
  const entries: Record<string, Uint8Array> = {};
  for await (const entry of readEntries(new ByteReader(inChunks(file), size, never))) {
    const pieces: Uint8Array[] = [];
    for await (const piece of entry.contents()) pieces.push(piece.slice());
    entries[entry.name] = concatBytes(pieces);
  }
  return entries;
}

async function hashes(entries: Record<string, Uint8Array>): Promise<Record<string, string>> {
  const hashed = Object.entries(entries).map(async ([name, bytes]) => [name, await sha256Hex(bytes.slice())]);
  return Object.fromEntries(await Promise.all(hashed)) as Record<string, string>;
}

describe('zip files', () => {
  const noise = new Uint8Array(300_000).map((_, at) => (at * at * 7919) >> 5);

  test('[K100] what is written is read the same, here and by another program', async () => {
    const zip = zipSync({ 'inner.txt': utf8('a zip in a zip') }, { level: 0 });
    const file = written([
      ['text.jsonl', packed(utf8('one\n'), utf8('two\n'.repeat(100_000)))],
      ['noise', store(noise, '')],
      ['empty', packed()],
      ['inner.zip', store(concatBytes([zip, utf8('PK\x07\x08PK\x03\x04PK\x01\x02'), zip]), '')],
    ]);
    const here = await read(file);
    expect(Object.keys(here)).toEqual(['text.jsonl', 'noise', 'empty', 'inner.zip']);
    expect(new TextDecoder().decode(here['text.jsonl'])).toBe(`one\n${'two\n'.repeat(100_000)}`);
    expect(await hashes(unzipSync(file))).toEqual(await hashes(here));
    expect((await hashes(here)).noise).toBe(await sha256Hex(noise));
    expect(file.length).toBeLessThan(320_000);
  });

  test('[K100] sums are those of the bytes', async () => {
    const crc = new Crc32();
    crc.add(utf8('12345'));
    crc.add(utf8('6789'));
    expect(crc.value).toBe(0xcbf43926);
    const { sha256, size, crc: sum } = packed(utf8('1234'), utf8('56789'));
    expect([sha256, size, sum]).toEqual([await sha256Hex(utf8('123456789')), 9, 0xcbf43926]);
    expect(stampOf(Date.UTC(2026, 4, 17, 12, 30, 8))).toEqual({
      date: (46 << 9) | (5 << 5) | 17,
      time: (12 << 11) | (30 << 5) | 4,
    });
    expect(stampOf(0)).toEqual({ date: 0x21, time: 0 });
  });

  test('[K100] more than 65,535 entries are written and read', async () => {
    const one = store(utf8('1'), '');
    const file = written(Array.from({ length: 66_000 }, (_, at) => [`n${at}`, one]));
    expect(Object.keys(unzipSync(file, { filter: () => true }))).toHaveLength(66_000);
    expect(Object.keys(await read(file))).toHaveLength(66_000);
  }, 120_000);

  test('[K100] an entry that begins beyond 4 GiB is found by its 64-bit field', () => {
    const far = 5 * 2 ** 30;
    const header = centralHeader({ ...packed(), name: 'late' }, stampOf(0), far);
    const view = new DataView(header.buffer);
    expect([view.getUint32(42, true), view.getUint16(50, true), view.getBigUint64(54, true)]).toEqual([
      0xffffffff,
      1,
      BigInt(far),
    ]);
    const end = new DataView(endOf(3, 150, far).buffer);
    expect([end.getUint32(0, true), end.getBigUint64(48, true), end.getUint32(56, true)]).toEqual([
      0x06064b50,
      BigInt(far),
      0x07064b50,
    ]);
    expect([end.getBigUint64(64, true), end.getUint32(76, true)]).toEqual([BigInt(far + 150), 0x06054b50]);
  });

  test('[K100] only what shrinks is worth packing', () => {
    expect(isWorthPacking(utf8('all the same '.repeat(1000)))).toBe(true);
    expect(isWorthPacking(realRandom.bytes(100_000))).toBe(false);
  });
});

describe('files that are not what GSV writes', () => {
  const file = written([
    ['a', packed(utf8('hello '.repeat(50)))],
    ['b', store(utf8('stored'), '')],
  ]);
  const changed = (at: number, byte: number): Uint8Array => file.map((old, i) => (i === at ? byte : old));

  test.each([
    ['no zip at all', utf8('<html>not a zip file, but long enough</html>')],
    ['nothing', new Uint8Array(0)],
    ['an empty zip', zipSync({})],
    ['half of it', file.slice(0, 60)],
    ['all but the last byte', file.slice(0, -1)],
    ['sizes after the contents', changed(6, 8)],
    ['an encrypted entry', changed(6, 1)],
    ['an unknown packing', changed(8, 12)],
    ['another checksum', changed(14, 0)],
    ['a size that is too small', changed(22, 5)],
    ['a size that is too large', changed(24, 5)],
    ['a packed size that is too small', changed(18, 5)],
    ['a name without an end', changed(27, 0xff)],
    ['packed bytes that are nonsense', changed(34, 0xff)],
    ['a name that is no text', changed(30, 0)],
    [
      'one name twice',
      written([
        ['a', packed()],
        ['a', packed()],
      ]),
    ],
  ])('[K101] %s is refused', async (_what, bytes) => {
    await expect(read(bytes)).rejects.toMatchObject({ code: 400 });
  });

  test('[K101] a file of another length than was said is refused', async () => {
    await expect(read(file, file.length - 1)).rejects.toMatchObject({ code: 400 });
  });

  test('[K101] every single byte that is changed is noticed or changes nothing', async () => {
    const whole = await read(file);
    const directory = file.length - 2 * 47 - 22;
    for (let at = 0; at < directory; at += 1) {
      const result = await read(changed(at, (file[at] ?? 0) ^ 0x55)).catch((error) => error.code);
      if (typeof result === 'object' && Object.keys(result).join() === 'a,b') expect(result).toEqual(whole);
      else if (typeof result === 'number') expect(result).toBe(400);
    }
  });

  test('[K101] an entry that expands beyond what it said is stopped at once', async () => {
    const bomb = packed(new Uint8Array(16 * 1024 * 1024));
    const lying = written([['bomb', { ...bomb, size: 1000 }]]);
    let most = 0;
    const reader = new ByteReader(inChunks(lying), lying.length, never);
    const reading = async (): Promise<void> => {
      for await (const entry of readEntries(reader)) {
        for await (const piece of entry.contents()) most += piece.length;
      }
    };
    await expect(reading()).rejects.toMatchObject({
      message: expect.stringContaining('larger than was said'),
    });
    expect(most).toBeLessThanOrEqual(1000);
  });

  test('[K101] a reader that is told to stop stops', async () => {
    const stop = new AbortController();
    const reader = new ByteReader(inChunks(file), file.length, stop.signal);
    stop.abort(new Error('enough'));
    await expect(reader.take(10)).rejects.toThrow('enough');
  });
});
