import { createHmac, hkdfSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { SeededRandom } from '../../../tests/support/seeded-random.ts';
import { readText } from '../../../tests/support/sources.ts';
import { concatBytes, toBase64Url } from '../../std/bytes.ts';
import { lengthAndText } from './entry.ts';
import { Keyring } from './keyring.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);
const counting = (from: number) => Uint8Array.from({ length: 32 }, (_, at) => from + at);

describe('the announcement of a key', () => {
  test('[K181] its vector in SPEC.md is what is written, and another program makes the same proof', async () => {
    const keys = [counting(0), counting(0x20)].map(toBase64Url);
    const announced = await Keyring.parse(JSON.stringify({ gsvId: 'gsv-vector', keys })).announcement(2);
    expect(readText('SPEC.md')).toContain(announced);
    const info = concatBytes(['announcement', 'gsv-vector', ''].map(lengthAndText));
    const proving = new Uint8Array(hkdfSync('sha256', counting(0), utf8('gsv seal 1'), info, 32));
    const proof = createHmac('sha256', proving).update(
      concatBytes([new Uint8Array([0, 0, 0, 2]), counting(0x20)]),
    );
    expect(JSON.parse(announced).proof).toBe(proof.digest('base64url'));
  });

  test('[K181] a keyring takes the next key of whoever had its newest one, and no other', async () => {
    const random = new SeededRandom(1);
    const one = Keyring.make(random);
    const two = one.rotated(random);
    const three = two.rotated(random);
    const again = await one.extended(await two.announcement(2));
    expect(again.text).toBe(two.text);
    expect(await again.print(2)).toBe(await two.print(2));
    expect(await again.print(2)).not.toBe(await two.print(1));
    expect([two.continues(one), one.continues(two), three.continues(again)]).toEqual([true, false, true]);
    const stranger = Keyring.parse(
      JSON.stringify({ gsvId: one.gsvId, keys: [toBase64Url(random.bytes(32))] }),
    );
    const wrong = [
      await three.announcement(3),
      await two.announcement(1),
      await stranger.rotated(random).announcement(2),
      await Keyring.make(random).rotated(random).announcement(2),
      '{}',
    ];
    for (const text of wrong) await expect(one.extended(text), text).rejects.toThrow();
  });
});
