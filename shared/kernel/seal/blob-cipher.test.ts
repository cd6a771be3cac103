import { createDecipheriv, createHash, hkdfSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { sampleBytes } from '../../../tests/support/sample-bytes.ts';
import { SeededRandom } from '../../../tests/support/seeded-random.ts';
import { readText } from '../../../tests/support/sources.ts';
import { concatBytes, sha256Hex, toBase64Url, toHex } from '../../std/bytes.ts';
import { BlobCipher } from './blob-cipher.ts';
import { lengthAndText } from './entry.ts';
import { Keyring } from './keyring.ts';

const MB = 1024 * 1024;
const utf8 = (text: string) => new TextEncoder().encode(text);
const epochKey = Uint8Array.from({ length: 32 }, (_, at) => at);
const vectorKeys = Keyring.parse(JSON.stringify({ gsvId: 'gsv-vector', keys: [toBase64Url(epochKey)] }));
const sample = (length: number, seed = 1) => new Uint8Array(sampleBytes(length, seed));

async function sealedSample(length: number, keyring = Keyring.make(new SeededRandom(1))) {
  const cipher = new BlobCipher(keyring);
  const bytes = sample(length);
  const hash = await sha256Hex(bytes);
  return { cipher, keyring, bytes, hash, sealed: await cipher.seal(hash, bytes) };
}

const foreign = { name: 'SealFault', kind: 'foreign' };

describe('a sealed blob', () => {
  test('[S180] the vector of SPEC.md is what is made of a content, and another program reads it by what SPEC.md says', async () => {
    const cipher = new BlobCipher(vectorKeys);
    const content = utf8('a content');
    const hash = await sha256Hex(content);
    const name = await cipher.name(1, hash);
    const sealed = await cipher.seal(hash, content);
    expect(readText('SPEC.md')).toContain(`blob ${hash} ${name} ${toHex(sealed)}`);
    const derived = (use: string) => {
      const info = concatBytes([use, 'gsv-vector', hash].map(lengthAndText));
      return new Uint8Array(hkdfSync('sha256', epochKey, utf8('gsv seal 1'), info, 32));
    };
    expect(toHex(derived('blob name'))).toBe(name);
    const nonce = new Uint8Array(12);
    nonce[11] = 1;
    const decipher = createDecipheriv('aes-256-gcm', derived('blob'), nonce);
    decipher.setAAD(sealed.subarray(0, 5));
    decipher.setAuthTag(sealed.subarray(-16));
    const opened = concatBytes([decipher.update(sealed.subarray(5, -16)), decipher.final()]);
    expect(createHash('sha256').update(opened).digest('hex')).toBe(hash);
  });

  test.each([0, 1, MB - 1, MB, MB + 1, 3 * MB, 3 * MB + 7])(
    '[S180] %i bytes are sealed the same way each time, and opened',
    async (length) => {
      const { cipher, bytes, hash, sealed } = await sealedSample(length);
      expect(Buffer.compare(await cipher.seal(hash, bytes), sealed)).toBe(0);
      expect(sealed.length).toBe(5 + length + 16 * Math.max(1, Math.ceil(length / MB)));
      expect(Buffer.compare(await cipher.open(1, hash, sealed), bytes)).toBe(0);
    },
  );

  test('[S181] nothing that was changed, shortened, put in another order or lengthened is opened', async () => {
    const { cipher, hash, sealed } = await sealedSample(3 * MB);
    const [head, chunk] = [5, MB + 16];
    const part = (index: number) => sealed.subarray(head + index * chunk, head + (index + 1) * chunk);
    const start = sealed.subarray(0, head);
    const flipped = (at: number) => {
      const changed = sealed.slice();
      changed[at] = (changed[at] ?? 0) ^ 1;
      return changed;
    };
    const others = {
      'another version': flipped(0),
      'another epoch': flipped(4),
      'a byte of the first chunk': flipped(head),
      'a byte of the last tag': flipped(sealed.length - 1),
      'the last chunk left out': sealed.slice(0, head + 2 * chunk),
      'a byte left out': sealed.slice(0, -1),
      'two chunks swapped': concatBytes([start, part(1), part(0), part(2)]),
      'a chunk repeated': concatBytes([start, part(0), part(1), part(1), part(2)]),
      'the last chunk repeated': concatBytes([sealed, part(2)]),
      nothing: new Uint8Array(),
      'the head alone': start.slice(),
    };
    for (const [what, bytes] of Object.entries(others))
      await expect(cipher.open(1, hash, bytes), what).rejects.toMatchObject(foreign);
  });

  test('[S181] it opens for its content, GSV and epoch alone', async () => {
    const { cipher, keyring, hash, sealed } = await sealedSample(100);
    const otherHash = await sha256Hex(sample(100, 2));
    await expect(cipher.open(1, otherHash, sealed)).rejects.toMatchObject(foreign);
    const stranger = new BlobCipher(Keyring.make(new SeededRandom(2)));
    await expect(stranger.open(1, hash, sealed)).rejects.toMatchObject(foreign);
    const rotated = new BlobCipher(keyring.rotated(new SeededRandom(3)));
    await expect(rotated.open(2, hash, sealed)).rejects.toMatchObject(foreign);
    expect(await rotated.open(1, hash, sealed)).toEqual(sample(100));
    await expect(cipher.open(2, hash, sealed)).rejects.toMatchObject(foreign);
    expect(await rotated.name(2, hash)).not.toBe(await rotated.name(1, hash));
    expect(await stranger.name(1, hash)).not.toBe(await cipher.name(1, hash));
  });
});
