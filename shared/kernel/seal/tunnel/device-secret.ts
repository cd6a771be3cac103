import { concatBytes, fromBase64Url, toBase64Url } from '../../../std/bytes.ts';
import type { Random } from '../../../std/random.ts';
import { lengthAndText } from '../entry.ts';
import { PartCipher } from './part-cipher.ts';

const SECRET_BYTES = 32;
/** Of a call, and of an answer; keys are derived from them, so that no two messages share one. */
export const NONCE_BYTES = 16;
const SALT = new TextEncoder().encode('gsv device 1');

/** What a key is for; a message passes as no other kind and in no other direction. */
export type Way = 'call' | 'answer' | 'progress' | 'bytes in' | 'bytes out';

/** What one device and the replicas of its GSV know, and their room does not. */
export class DeviceSecret {
  readonly deviceId: string;
  /** Base64url. */
  readonly text: string;
  readonly #key: Promise<CryptoKey>;

  private constructor(deviceId: string, bytes: Uint8Array<ArrayBuffer>) {
    this.deviceId = deviceId;
    this.text = toBase64Url(bytes);
    this.#key = crypto.subtle.importKey('raw', bytes, 'HKDF', false, ['deriveKey']);
  }

  static make(deviceId: string, random: Random): DeviceSecret {
    return new DeviceSecret(deviceId, random.bytes(SECRET_BYTES));
  }

  /** Undefined for a text that is none. */
  static parse(deviceId: string, text: string): DeviceSecret | undefined {
    if (!/^[\w-]{43}$/.test(text)) return undefined;
    return new DeviceSecret(deviceId, fromBase64Url(text));
  }

  /** For one message, or for the parts of one stream, which its nonces name. */
  async cipher(way: Way, nonces: readonly Uint8Array[]): Promise<PartCipher> {
    const info = concatBytes([lengthAndText(way), lengthAndText(this.deviceId), ...nonces]);
    const params: HkdfParams = { name: 'HKDF', hash: 'SHA-256', salt: SALT, info };
    const aes = { name: 'AES-GCM', length: 256 } as const;
    const key = await crypto.subtle.deriveKey(params, await this.#key, aes, false, ['encrypt', 'decrypt']);
    return new PartCipher(key);
  }
}
