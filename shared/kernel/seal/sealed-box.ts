import { x25519 } from '@noble/curves/ed25519.js';
import { concatBytes } from '../../std/bytes.ts';
import type { Random } from '../../std/random.ts';
import { lengthAndText, NONCE_BYTES } from './entry.ts';

/** The first byte of a box. */
const BOX_VERSION = 1;
export const PUBLIC_KEY_BYTES = 32;
const SECRET_KEY_BYTES = 32;
const NONCE_AT = 1 + PUBLIC_KEY_BYTES;
const SEALED_AT = NONCE_AT + NONCE_BYTES;
const SALT = new TextEncoder().encode('gsv box 1');

/** What a box is for and whom it concerns; it opens for nothing else. */
export type BoxPurpose = string;

/** One side's pair of keys: whoever has the public one may seal for whoever has the secret one. */
export class BoxKey {
  /** To be kept in a vault. */
  readonly secret: Uint8Array<ArrayBuffer>;
  readonly public: Uint8Array<ArrayBuffer>;

  /** Throws on bytes that are no secret key. */
  constructor(secret: Uint8Array<ArrayBuffer>) {
    if (secret.length !== SECRET_KEY_BYTES) throw new Error('A secret key has 32 bytes');
    this.secret = secret;
    this.public = x25519.getPublicKey(secret).slice() as Uint8Array<ArrayBuffer>;
  }

  static make(random: Random): BoxKey {
    return new BoxKey(random.bytes(SECRET_KEY_BYTES));
  }

  /** Rejects when the box was not sealed for this key and this purpose, or was changed. */
  async open(box: Uint8Array, purpose: BoxPurpose): Promise<Uint8Array<ArrayBuffer>> {
    if (box[0] !== BOX_VERSION || box.length < SEALED_AT) throw new Error('This is no sealed box');
    const sender = box.subarray(1, NONCE_AT);
    const key = await boxKey(
      x25519.getSharedSecret(this.secret, sender),
      sender,
      this.public,
      purpose,
      'decrypt',
    );
    const params = paramsOf(box.slice(NONCE_AT, SEALED_AT) as Uint8Array<ArrayBuffer>, purpose);
    const sealed = box.slice(SEALED_AT) as Uint8Array<ArrayBuffer>;
    return new Uint8Array(await crypto.subtle.decrypt(params, key, sealed));
  }
}

/** Seals bytes for the holder of a key, by a pair of keys that is made for it and forgotten. Throws on a key that is none. */
export async function sealFor(
  recipient: Uint8Array,
  bytes: Uint8Array<ArrayBuffer>,
  purpose: BoxPurpose,
  random: Random,
): Promise<Uint8Array<ArrayBuffer>> {
  const sender = BoxKey.make(random);
  const nonce = random.bytes(NONCE_BYTES);
  const shared = x25519.getSharedSecret(sender.secret, recipient);
  const key = await boxKey(shared, sender.public, recipient, purpose, 'encrypt');
  const sealed = await crypto.subtle.encrypt(paramsOf(nonce, purpose), key, bytes);
  return concatBytes([new Uint8Array([BOX_VERSION]), sender.public, nonce, new Uint8Array(sealed)]);
}

async function boxKey(
  shared: Uint8Array,
  sender: Uint8Array,
  recipient: Uint8Array,
  purpose: BoxPurpose,
  usage: 'encrypt' | 'decrypt',
): Promise<CryptoKey> {
  const info = concatBytes([sender, recipient, lengthAndText(purpose)]);
  const params: HkdfParams = { name: 'HKDF', hash: 'SHA-256', salt: SALT, info };
  const secret = await crypto.subtle.importKey(
    'raw',
    shared.slice() as Uint8Array<ArrayBuffer>,
    'HKDF',
    false,
    ['deriveKey'],
  );
  return crypto.subtle.deriveKey(params, secret, { name: 'AES-GCM', length: 256 }, false, [usage]);
}

function paramsOf(iv: Uint8Array<ArrayBuffer>, purpose: BoxPurpose): AesGcmParams {
  return { name: 'AES-GCM', iv, additionalData: lengthAndText(purpose) };
}
