import { concatBytes } from '../../../shared/std/bytes.ts';

/** The first byte of everything that a disk's key sealed. */
const VERSION = 1;
const NONCE_AT = 1;
const NONCE_BYTES = 12;
const SEALED_AT = NONCE_AT + NONCE_BYTES;
const TAG_BYTES = 16;
/** By how much a sealed row is longer than what is in it. */
export const SEAL_BYTES = SEALED_AT + TAG_BYTES;
export const DISK_KEY_BYTES = 32;

/** What a row is, so that none is read in another's place: `update <document>`, `blob <hash>`, `secret <name>`. */
export type DiskPlace = `${'update' | 'blob' | 'secret'} ${string}`;

/** Seals what this browser stores, by AES-GCM. */
export class DiskKey {
  readonly #key: CryptoKey;

  private constructor(key: CryptoKey) {
    this.#key = key;
  }

  /** Of 32 random bytes. */
  static async of(bytes: Uint8Array<ArrayBuffer>): Promise<DiskKey> {
    return new DiskKey(await crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt']));
  }

  async seal(bytes: Uint8Array, place: DiskPlace): Promise<Uint8Array<ArrayBuffer>> {
    const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
    const params = paramsOf(nonce, place);
    const sealed = await crypto.subtle.encrypt(params, this.#key, bytes as Uint8Array<ArrayBuffer>);
    return concatBytes([new Uint8Array([VERSION]), nonce, new Uint8Array(sealed)]);
  }

  /** Rejects on bytes that this key did not seal for this place. */
  async open(sealed: Uint8Array, place: DiskPlace): Promise<Uint8Array<ArrayBuffer>> {
    if (sealed[0] !== VERSION || sealed.length < SEAL_BYTES) throw unreadable(place);
    const params = paramsOf(sealed.slice(NONCE_AT, SEALED_AT) as Uint8Array<ArrayBuffer>, place);
    const body = sealed.subarray(SEALED_AT) as Uint8Array<ArrayBuffer>;
    const bytes = await crypto.subtle.decrypt(params, this.#key, body).catch(() => {
      throw unreadable(place);
    });
    return new Uint8Array(bytes);
  }
}

function paramsOf(iv: Uint8Array<ArrayBuffer>, place: DiskPlace): AesGcmParams {
  return { name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(place) };
}

function unreadable(place: DiskPlace): Error {
  return new Error(`What this browser stored cannot be read: ${place.split(' ')[0]}`);
}
