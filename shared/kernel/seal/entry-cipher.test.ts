import { createDecipheriv, createHash, hkdfSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { SeededRandom } from '../../../tests/support/seeded-random.ts';
import { readText } from '../../../tests/support/sources.ts';
import { concatBytes, toBase64Url, toHex } from '../../std/bytes.ts';
import type { Random } from '../../std/random.ts';
import { decodeHead, type EntryHead, type EntryMode, lengthAndText, NO_HASH } from './entry.ts';
import { EntryCipher } from './entry-cipher.ts';
import { Keyring } from './keyring.ts';
import { writerOf } from './writer.ts';

const MODES: EntryMode[] = ['change', 'snapshot'];
const utf8 = (text: string) => new TextEncoder().encode(text);
const counting = (from: number, length: number) => Uint8Array.from({ length }, (_, at) => (from + at) & 0xff);

const newKeys = (random: Random) => {
  const keyring = Keyring.make(random);
  return () => keyring;
};

/** The keyring, writer and nonce of the vectors in SPEC.md. */
const vectorKeys = Keyring.parse(
  JSON.stringify({ gsvId: 'gsv-vector', keys: [toBase64Url(counting(0, 32))] }),
);
const writer = toHex(counting(0xa0, 16));
const vectorRandom = { bytes: (length: number) => counting(0x10, length), uuid: () => 'unused' };
const other = { writer: toHex(counting(0xc0, 16)), n: 7, hash: toHex(counting(0x40, 32)) };
const plain = (mode: EntryMode): Omit<EntryHead, 'epoch' | 'nonce'> => ({
  ...{ mode, writer, n: 1, previous: NO_HASH, witnesses: [] },
});

const vectors = [
  ['change', { ...plain('change'), witnesses: [other] }],
  ['snapshot', { ...plain('snapshot'), previous: toHex(counting(0x80, 32)), witnesses: [other] }],
] as const;

describe('the format of the sealed log', () => {
  test.each(vectors)('[S140] the %s vector of SPEC.md is what is written', async (name, head) => {
    const cipher = new EntryCipher(() => vectorKeys, 'conv/vector', vectorRandom);
    const { bytes, hash } = await cipher.seal(head, utf8('a change'));
    expect(readText('SPEC.md')).toContain(`${name} ${toHex(bytes)} ${hash}`);
    const opened = await cipher.open(bytes);
    expect(new TextDecoder().decode(opened.payload)).toBe('a change');
    expect(opened.head).toMatchObject({ ...head, epoch: 1 });
  });

  test('[S140] another program reads an entry by what SPEC.md says of it', async () => {
    const cipher = new EntryCipher(() => vectorKeys, 'conv/vector', vectorRandom);
    const { bytes, hash } = await cipher.seal({ ...plain('change'), witnesses: [other] }, utf8('a change'));
    const info = concatBytes(['document', 'gsv-vector', 'conv/vector'].map(lengthAndText));
    const key = hkdfSync('sha256', counting(0, 32), utf8('gsv seal 1'), info, 32);
    const start = 76 + 56 * ((bytes[74] ?? 0) * 256 + (bytes[75] ?? 0));
    const decipher = createDecipheriv('aes-256-gcm', new Uint8Array(key), bytes.subarray(62, 74));
    decipher.setAAD(
      concatBytes([bytes.subarray(0, start), ...['gsv-vector', 'conv/vector'].map(lengthAndText)]),
    );
    decipher.setAuthTag(bytes.subarray(-16));
    const opened = concatBytes([decipher.update(bytes.subarray(start, -16)), decipher.final()]);
    expect(new TextDecoder().decode(opened)).toBe('a change');
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(hash);
  });

  test('[S140] whatever is written is read again, and what is before the payload without a key', async () => {
    for (let seed = 1; seed <= 60; seed += 1) {
      const random = new SeededRandom(seed);
      const keyring = Keyring.make(random);
      const cipher = new EntryCipher(() => keyring, `conv/${seed}/state`, random);
      const head = randomHead(random);
      const payload = random.bytes(random.below(3_000));
      const { bytes, hash } = await cipher.seal(head, payload);
      const opened = await cipher.open(bytes);
      expect(toHex(opened.payload)).toBe(toHex(payload));
      expect(opened).toMatchObject({ head, hash });
      expect(decodeHead(bytes)).toMatchObject({ ...head, epoch: 1 });
    }
  });
});

describe('what the room could do to an entry', () => {
  test('[S141] a byte changed, dropped or added anywhere makes it unreadable', async () => {
    for (const mode of MODES) {
      const random = new SeededRandom(mode);
      const cipher = new EntryCipher(newKeys(random), 'fs', random);
      const { bytes } = await cipher.seal({ ...plain(mode), witnesses: [other] }, utf8('some content'));
      for (let at = 0; at < bytes.length; at += 1) {
        const changed = bytes.slice();
        changed[at] = (changed[at] ?? 0) ^ (1 << random.below(8));
        const kind = at >= 2 && at < 6 ? 'locked' : 'foreign';
        await expect(cipher.open(changed), `${mode}, byte ${at}`).rejects.toMatchObject({ kind });
      }
      for (const cut of [bytes.slice(1), bytes.slice(0, -1), new Uint8Array(), concatBytes([bytes, bytes])]) {
        await expect(cipher.open(cut)).rejects.toMatchObject({ kind: 'foreign' });
      }
    }
  });

  test('[S141] an entry belongs to its document, its GSV and its key', async () => {
    const random = new SeededRandom(9);
    const keyring = Keyring.make(random);
    for (const mode of MODES) {
      const { bytes } = await new EntryCipher(() => keyring, 'fs', random).seal(plain(mode), utf8('x'));
      const renamed = Keyring.parse(keyring.text.replace(keyring.gsvId, 'another'));
      const wrong = [
        new EntryCipher(() => keyring, 'system', random),
        new EntryCipher(newKeys(random), 'fs', random),
        new EntryCipher(() => renamed, 'fs', random),
      ];
      for (const cipher of wrong) {
        await expect(cipher.open(bytes)).rejects.toMatchObject({ kind: 'foreign' });
      }
    }
  });

  test('[S141] the same content is never the same entry', async () => {
    const random = new SeededRandom(5);
    const cipher = new EntryCipher(newKeys(random), 'fs', random);
    const one = await cipher.seal(plain('change'), utf8('content'));
    const two = await cipher.seal(plain('change'), utf8('content'));
    expect(one.hash).not.toBe(two.hash);
    expect(toHex(one.bytes.slice(-23))).not.toBe(toHex(two.bytes.slice(-23)));
  });
});

describe('keys', () => {
  test('[S142] after a new key, what was written before is read, and who has the old one alone reads nothing new', async () => {
    const random = new SeededRandom(2);
    const old = Keyring.make(random);
    const before = await new EntryCipher(() => old, 'fs', random).seal(plain('change'), utf8('before'));
    const rotated = Keyring.parse(old.rotated(random).text);
    expect([old.epoch, rotated.epoch, rotated.gsvId]).toEqual([1, 2, old.gsvId]);
    const now = new EntryCipher(() => rotated, 'fs', random);
    expect(new TextDecoder().decode((await now.open(before.bytes)).payload)).toBe('before');
    const after = await now.seal(plain('change'), utf8('after'));
    await expect(new EntryCipher(() => old, 'fs', random).open(after.bytes)).rejects.toMatchObject({
      kind: 'locked',
    });
  });

  test.each(['{}', '{"gsvId":"","keys":["AA"]}', '{"gsvId":"g","keys":[]}', '{"gsvId":"g","keys":["AA"]}'])(
    '[S142] %s is no keyring',
    (text) => {
      expect(() => Keyring.parse(text)).toThrow('cannot be read');
    },
  );

  test('[S142] a writer is named by its replica’s id, never by a number that the room gives', () => {
    const digest = createHash('sha256').update('replica-2').digest('hex');
    expect(writerOf('replica-2')).toBe(digest.slice(0, 32));
  });
});

function randomHead(random: SeededRandom): Omit<EntryHead, 'epoch' | 'nonce'> {
  const hex = (length: number) => toHex(random.bytes(length));
  return {
    mode: random.pick(MODES),
    writer: hex(16),
    n: random.chance(0.1) ? Number.MAX_SAFE_INTEGER : random.below(1_000),
    previous: hex(32),
    witnesses: Array.from({ length: random.below(4) }, () => {
      return { writer: hex(16), n: random.below(2 ** 31), hash: hex(32) };
    }),
  };
}
