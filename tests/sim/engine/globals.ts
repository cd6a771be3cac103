import { createCipheriv, createDecipheriv, createHash, hkdfSync } from 'node:crypto';
import * as Y from 'yjs';
import { concatBytes } from '../../../shared/std/bytes.ts';

/** A key of the simulation: its bytes, whatever it may be used for. */
type SimKey = { bytes: Uint8Array<ArrayBuffer> };
const CIPHER = 'aes-256-gcm';
const TAG_BYTES = 16;

/**
 * What a platform does outside the ports, at once and by the seed while a simulation runs: hashing and sealing answer
 * within the same turn, packing keeps bytes as they are, and the numbers that Yjs draws for a document come from
 * `clientId`. What programs print as errors goes to `log`. The returned function gives the platform back.
 */
export function takeOverGlobals(clientId: () => number, log: (line: string) => void): () => void {
  const derived = new Derived();
  const restore = [
    replace(
      crypto.subtle,
      'digest',
      async (_name: string, bytes: Uint8Array) => plain(createHash('sha256').update(bytes).digest()).buffer,
    ),
    replace(crypto.subtle, 'importKey', async (_format: string, bytes: Uint8Array) => ({
      bytes: bytes.slice(),
    })),
    replace(
      crypto.subtle,
      'deriveBits',
      async (by: HkdfParams, key: SimKey, bits: number) => derived.bytes(by, key, bits / 8).buffer,
    ),
    replace(crypto.subtle, 'deriveKey', async (by: HkdfParams, key: SimKey) => ({
      bytes: derived.bytes(by, key, 32),
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

/** What was derived stays known to a run: the same key is asked for again and again. */
class Derived {
  readonly #known = new Map<string, Uint8Array<ArrayBuffer>>();

  bytes({ salt, info }: HkdfParams, { bytes: key }: SimKey, length: number): Uint8Array<ArrayBuffer> {
    const parts = [key, salt as Uint8Array, info as Uint8Array, Uint8Array.of(length)];
    const name = Buffer.concat(parts).toString('latin1');
    const known =
      this.#known.get(name) ??
      new Uint8Array(hkdfSync('sha256', key, salt as Uint8Array, info as Uint8Array, length));
    this.#known.set(name, known);
    return known.slice();
  }
}

function seal(by: AesGcmParams, { bytes: key }: SimKey, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const cipher = createCipheriv(CIPHER, key, by.iv as Uint8Array).setAAD(aboutOf(by));
  return concatBytes([cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
}

/** Throws on anything but what `seal` made with this key. */
function open(by: AesGcmParams, { bytes: key }: SimKey, sealed: Uint8Array): Uint8Array<ArrayBuffer> {
  const end = sealed.length - TAG_BYTES;
  const decipher = createDecipheriv(CIPHER, key, by.iv as Uint8Array).setAAD(aboutOf(by));
  decipher.setAuthTag(sealed.subarray(end));
  return concatBytes([decipher.update(sealed.subarray(0, end)), decipher.final()]);
}

function aboutOf({ additionalData }: AesGcmParams): Uint8Array {
  return (additionalData ?? new Uint8Array(0)) as Uint8Array;
}

/** A Buffer's bytes may lie anywhere in a larger piece of memory. */
function plain(bytes: Buffer): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(bytes);
}

/** Stands for gzip in both directions. */
class Unpacked extends TransformStream<Uint8Array, Uint8Array> {
  constructor(_format: string) {
    super();
  }
}
