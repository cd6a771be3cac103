import { createDecipheriv, createPrivateKey, createPublicKey, diffieHellman, hkdfSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { SeededRandom } from '../../../tests/support/seeded-random.ts';
import { readText } from '../../../tests/support/sources.ts';
import { concatBytes, toBase64Url, toHex } from '../../std/bytes.ts';
import { lengthAndText } from './entry.ts';
import { RecoveryPhrase } from './recovery-phrase.ts';
import { BoxKey, sealFor } from './sealed-box.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const counting = (from: number, length: number) => Uint8Array.from({ length }, (_, at) => (from + at) & 0xff);

describe('a sealed box', () => {
  test('[S152] its vector in SPEC.md is what is written, and another program opens it by what is said there', async () => {
    const recipient = new BoxKey(counting(0, 32));
    const random = { bytes: (length: number) => counting(0x20, length), uuid: () => 'unused' };
    const box = await sealFor(recipient.public, utf8('a key'), 'vector', random);
    expect(readText('SPEC.md')).toContain(`box ${toHex(recipient.public)} ${toHex(box)}`);
    const jwk = (key: BoxKey, d?: string) => ({
      kty: 'OKP',
      crv: 'X25519',
      x: toBase64Url(key.public),
      ...(d && { d }),
    });
    const sender = new BoxKey(counting(0x20, 32));
    const shared = diffieHellman({
      privateKey: createPrivateKey({ key: jwk(recipient, toBase64Url(recipient.secret)), format: 'jwk' }),
      publicKey: createPublicKey({ key: jwk(sender), format: 'jwk' }),
    });
    const info = concatBytes([sender.public, recipient.public, lengthAndText('vector')]);
    const key = new Uint8Array(hkdfSync('sha256', shared, utf8('gsv box 1'), info, 32));
    const decipher = createDecipheriv('aes-256-gcm', key, box.subarray(33, 45));
    decipher.setAAD(lengthAndText('vector'));
    decipher.setAuthTag(box.subarray(-16));
    expect(text(concatBytes([decipher.update(box.subarray(45, -16)), decipher.final()]))).toBe('a key');
  });

  test('[S152] it opens for its key and its purpose alone, and not when a byte of it was changed', async () => {
    const random = new SeededRandom(1);
    const [one, two] = [BoxKey.make(random), BoxKey.make(random)];
    const box = await sealFor(one.public, utf8('the keyring'), 'epoch 1', random);
    expect(text(await new BoxKey(one.secret).open(box, 'epoch 1'))).toBe('the keyring');
    await expect(two.open(box, 'epoch 1')).rejects.toThrow();
    await expect(one.open(box, 'epoch 2')).rejects.toThrow();
    for (let at = 0; at < box.length; at += 1) {
      const changed = box.slice();
      changed[at] = (changed[at] ?? 0) ^ 1;
      await expect(one.open(changed, 'epoch 1'), `byte ${at}`).rejects.toThrow();
    }
    for (const wrong of [new Uint8Array(), box.slice(0, 40), box.slice(0, -1)]) {
      await expect(one.open(wrong, 'epoch 1')).rejects.toThrow();
    }
  });

  test('[S152] nothing is sealed for a key that gives everybody the same secret', async () => {
    const random = new SeededRandom(2);
    await expect(sealFor(new Uint8Array(32), utf8('x'), 'p', random)).rejects.toThrow();
    await expect(sealFor(new Uint8Array(31), utf8('x'), 'p', random)).rejects.toThrow();
  });
});

describe('a recovery phrase', () => {
  test('[S153] 24 words stand for one key, however they are typed', async () => {
    const random = new SeededRandom(3);
    const phrase = await RecoveryPhrase.make(random);
    expect(phrase.words).toHaveLength(24);
    const typed = phrase.words
      .map((word, at) => `${at + 1}. ${at % 2 ? word.toUpperCase() : word}`)
      .join('\n ');
    const again = await RecoveryPhrase.parse(typed);
    expect(again.words).toEqual(phrase.words);
    const { public: known } = await phrase.key();
    expect(toHex((await again.key()).public)).toBe(toHex(known));
    const other = await RecoveryPhrase.make(random);
    expect(toHex((await other.key()).public)).not.toBe(toHex(known));
    const box = await sealFor(known, utf8('the keyring'), 'recovery', random);
    expect(text(await (await again.key()).open(box, 'recovery'))).toBe('the keyring');
  });

  test('[S153] the words are those of BIP 39', async () => {
    const zeros = await RecoveryPhrase.make({ bytes: (length) => new Uint8Array(length), uuid: () => '' });
    expect(zeros.words).toEqual([...Array.from({ length: 23 }, () => 'abandon'), 'art']);
  });

  test.each([
    ['abandon abandon', 'these are 2'],
    [`${'abandon '.repeat(22)}abandn art`, 'Word 23, “abandn”'],
    ['abandon '.repeat(24), 'two are mixed up or one is another'],
  ])('[S153] %s is refused with words that help', async (typed, words) => {
    await expect(RecoveryPhrase.parse(typed)).rejects.toThrow(words);
  });
});
