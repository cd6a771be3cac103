import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { Type } from 'typebox';
import { concatBytes, equalsConstantTime, fromBase64Url, toBase64Url } from '../../std/bytes.ts';
import { matches } from '../../std/matches.ts';

/** Nothing is before the first key that could prove it. */
const FIRST_EPOCH = 1;

const Stored = Type.Object({
  gsvId: Type.String({ minLength: 1 }),
  epoch: Type.Integer({ minimum: FIRST_EPOCH }),
  key: Type.String(),
  proof: Type.String(),
});

export type EpochKey = { gsvId: string; epoch: number; key: Uint8Array<ArrayBuffer> };

/**
 * What those are told who shall know the key of an epoch; in the clear, for a box. `proving`: what only whoever has the
 * key before knows; null for the first one.
 */
export function announcementOf(next: EpochKey, proving: Uint8Array | null): string {
  const { gsvId, epoch, key } = next;
  return JSON.stringify({ gsvId, epoch, key: toBase64Url(key), proof: proofOf(next, proving) });
}

/** Throws unless whoever wrote it had the key of the epoch before. */
export function readAnnouncement(
  text: string,
  expected: Omit<EpochKey, 'key'>,
  proving: Uint8Array | null,
): Uint8Array<ArrayBuffer> {
  const stored: unknown = JSON.parse(text);
  if (!matches(Stored, stored)) throw new Error('This announces no key');
  const { gsvId, epoch, proof } = stored;
  if (gsvId !== expected.gsvId || epoch !== expected.epoch) throw new Error('This announces another key');
  const key = fromBase64Url(stored.key);
  if (!equalsConstantTime(proof, proofOf({ gsvId, epoch, key }, proving)))
    throw new Error('This key is announced by somebody who did not have the one before');
  return key;
}

function proofOf({ epoch, key }: EpochKey, proving: Uint8Array | null): string {
  if (proving === null) return '';
  const number = new Uint8Array(4);
  new DataView(number.buffer).setUint32(0, epoch);
  return toBase64Url(hmac(sha256, proving, concatBytes([number, key])));
}
