import { hkdf } from '@noble/hashes/hkdf.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import * as Y from 'yjs';
import { concatBytes, equalsConstantTime, toHex } from '../../../shared/std/bytes.ts';

/** A key of the simulation: its bytes, whatever it may be used for. */
type SimKey = { bytes: Uint8Array<ArrayBuffer> };
const TAG_BYTES = 16;

/**
 * What a platform does outside the ports, at once and by the seed while a simulation runs: hashing and sealing answer
 * within the same turn (the seal is no AES, but it opens only with its key), packing keeps bytes as they are, and the
 * numbers that Yjs draws for a document come from `clientId`. What programs print as errors goes to `log`. The returned
 * function gives the platform back.
 */
export function takeOverGlobals(clientId: () => number, log: (line: string) => void): () => void {
  const restore = [
    replace(
      crypto.subtle,
      'digest',
      async (_name: string, bytes: Uint8Array) => sha256(bytes).slice().buffer,
    ),
    replace(crypto.subtle, 'importKey', async (_format: string, bytes: Uint8Array) => ({
      bytes: bytes.slice(),
    })),
    replace(
      crypto.subtle,
      'deriveBits',
      async (by: HkdfParams, key: SimKey, bits: number) => derive(by, key, bits / 8).buffer,
    ),
    replace(crypto.subtle, 'deriveKey', async (by: HkdfParams, key: SimKey) => ({
      bytes: derive(by, key, 32),
    })),
    replace(
      crypto.subtle,
      'encrypt',
      async (by: AesGcmParams, key: SimKey, bytes: Uint8Array) => seal(by, key, bytes).buffer,
    ),
    replace(
      crypto.subtle,
      'decrypt',
      async (by: AesGcmParams, key: SimKey, bytes: Uint8Array) => open(by, key, bytes).buffer,
    ),
    replace(globalThis, 'CompressionStream', Unpacked),
    replace(globalThis, 'DecompressionStream', Unpacked),
    replace(console, 'error', (...said: unknown[]) => {
      const line = said.map(String).join(' ');
      // What Node itself warns of comes once in a process, whichever run is the first.
      if (!line.startsWith('(node:')) log(`printed: ${line}`);
    }),
    // Errors that are answers are made by the thousand here, and nobody reads where.
    replace(Error, 'stackTraceLimit', 0),
    seedClientIds(clientId),
  ];
  return () => {
    for (const back of restore) back();
  };
}

function replace(owner: object, name: string, value: unknown): () => void {
  const own = Object.getOwnPropertyDescriptor(owner, name);
  Object.defineProperty(owner, name, { value, configurable: true, writable: true });
  return () => {
    if (own) Object.defineProperty(owner, name, own);
    else Reflect.deleteProperty(owner, name);
  };
}

/** Every number that Yjs draws for itself is replaced; one that a program gives to a document stays. */
function seedClientIds(next: () => number): () => void {
  const given = Symbol('client id');
  type Numbered = { [given]?: number };
  Object.defineProperty(Y.Doc.prototype, 'clientID', {
    configurable: true,
    get(this: Numbered) {
      return this[given];
    },
    set(this: Numbered, value: number) {
      this[given] = this[given] === undefined ? next() : value;
    },
  });
  return () => void Reflect.deleteProperty(Y.Doc.prototype, 'clientID');
}

function derive({ salt, info }: HkdfParams, { bytes }: SimKey, length: number): Uint8Array<ArrayBuffer> {
  return hkdf(sha256, bytes, salt as Uint8Array, info as Uint8Array, length).slice();
}

function seal(by: AesGcmParams, key: SimKey, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const hidden = masked(by, key, bytes);
  return concatBytes([hidden, tagOf(by, key, hidden)]);
}

function open(by: AesGcmParams, key: SimKey, sealed: Uint8Array): Uint8Array<ArrayBuffer> {
  const hidden = sealed.subarray(0, sealed.length - TAG_BYTES);
  const tag = sealed.subarray(sealed.length - TAG_BYTES);
  if (!equalsConstantTime(toHex(tag), toHex(tagOf(by, key, hidden)))) throw new Error('cannot be opened');
  return masked(by, key, hidden);
}

function masked({ iv }: AesGcmParams, { bytes: key }: SimKey, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const mask = hkdf(sha256, key, iv as Uint8Array, new Uint8Array(0), Math.min(bytes.length, 255 * 32));
  return Uint8Array.from(bytes, (byte, at) => byte ^ (mask[at % mask.length] ?? 0));
}

function tagOf({ iv, additionalData }: AesGcmParams, { bytes: key }: SimKey, hidden: Uint8Array): Uint8Array {
  const about = (additionalData ?? new Uint8Array(0)) as Uint8Array;
  return hmac(sha256, key, concatBytes([iv as Uint8Array, about, hidden])).subarray(0, TAG_BYTES);
}

/** Stands for gzip in both directions. */
class Unpacked extends TransformStream<Uint8Array, Uint8Array> {
  constructor(_format: string) {
    super();
  }
}
