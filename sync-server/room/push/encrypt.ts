import { concatBytes } from '../../../shared/std/bytes.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** Whom a message is for: the browser's public key (P-256, uncompressed) and its authentication secret. */
export type PushKeys = { p256dh: Bytes; auth: Bytes };

/** What is drawn anew for every message. */
export type MessageKeys = { pair: CryptoKeyPair; salt: Bytes };

const CURVE = { name: 'ECDH', namedCurve: 'P-256' } as const;
const SHARED_BITS = 256;
/** The whole message is one record (RFC 8291, 4), so any size above it will do. */
const RECORD_SIZE = 4096;
/** Says that the last record ends here (RFC 8188, 2). */
const LAST_RECORD = 2;

const encoder = new TextEncoder();

/** Encrypts a message for one browser (RFC 8291, content coding aes128gcm). Rejects when its key is not on the curve. */
export async function encryptPush(text: Bytes, to: PushKeys, drawn: MessageKeys): Promise<Bytes> {
  const { salt, pair } = drawn;
  const publicKey = new Uint8Array((await crypto.subtle.exportKey('raw', pair.publicKey)) as ArrayBuffer);
  const input = await keyingMaterial(to, pair, publicKey);
  const key = await hkdf(input, salt, encoder.encode('Content-Encoding: aes128gcm\0') as Bytes, 16);
  const nonce = await hkdf(input, salt, encoder.encode('Content-Encoding: nonce\0') as Bytes, 12);
  const cipher = await crypto.subtle.importKey('raw', key, 'AES-GCM', false, ['encrypt']);
  const record = concatBytes([text, new Uint8Array([LAST_RECORD])]);
  const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv: nonce }, cipher, record);
  return concatBytes([header(salt, publicKey), new Uint8Array(sealed)]);
}

export async function drawMessageKeys(salt: Bytes): Promise<MessageKeys> {
  const pair = (await crypto.subtle.generateKey(CURVE, true, ['deriveBits'])) as CryptoKeyPair;
  return { pair, salt };
}

/** RFC 8291, 3.3: both public keys and the authentication secret are mixed into what the two sides share. */
async function keyingMaterial(to: PushKeys, pair: CryptoKeyPair, publicKey: Bytes): Promise<Bytes> {
  const theirs = await crypto.subtle.importKey('raw', to.p256dh, CURVE, false, []);
  // One of the platforms' types calls the field `$public`.
  const agreement = { name: 'ECDH', public: theirs } as unknown as Parameters<SubtleCrypto['deriveBits']>[0];
  const shared = new Uint8Array(await crypto.subtle.deriveBits(agreement, pair.privateKey, SHARED_BITS));
  const info = concatBytes([encoder.encode('WebPush: info\0'), to.p256dh, publicKey]);
  return hkdf(shared, to.auth, info, 32);
}

async function hkdf(input: Bytes, salt: Bytes, info: Bytes, length: number): Promise<Bytes> {
  const key = await crypto.subtle.importKey('raw', input, 'HKDF', false, ['deriveBits']);
  const how = { name: 'HKDF', hash: 'SHA-256', salt, info };
  return new Uint8Array(await crypto.subtle.deriveBits(how, key, length * 8));
}

/** Salt, record size, length of the key, key (RFC 8188, 2.1). */
function header(salt: Bytes, publicKey: Bytes): Bytes {
  const size = new Uint8Array(4);
  new DataView(size.buffer).setUint32(0, RECORD_SIZE);
  return concatBytes([salt, size, new Uint8Array([publicKey.length]), publicKey]);
}
