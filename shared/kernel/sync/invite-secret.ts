import { fromBase64, fromBase64Url, toBase64, toBase64Url } from '../../std/bytes.ts';
import type { Random } from '../../std/random.ts';

const PREFIX = 'gsv_join_';
const TOKEN_PREFIX = 'gsv_invite_';
const SECRET_BYTES = 32;
const IV_BYTES = 12;
const SALT = new TextEncoder().encode('gsv invite 1');

const info = (purpose: string): HkdfParams => ({
  name: 'HKDF',
  hash: 'SHA-256',
  salt: SALT,
  info: new TextEncoder().encode(purpose),
});

/** What an invitation's link carries. Two keys come of it: one to show to the room, one that the room never learns. */
export class InviteSecret {
  /** As it stands in the link. */
  readonly text: string;
  readonly #bytes: Uint8Array<ArrayBuffer>;

  private constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.#bytes = bytes;
    this.text = PREFIX + toBase64Url(bytes);
  }

  static make(random: Random): InviteSecret {
    return new InviteSecret(random.bytes(SECRET_BYTES));
  }

  /** Undefined for a text that is none. */
  static parse(text: string): InviteSecret | undefined {
    if (!text.startsWith(PREFIX)) return undefined;
    try {
      const bytes = fromBase64Url(text.slice(PREFIX.length));
      return bytes.length === SECRET_BYTES ? new InviteSecret(bytes) : undefined;
    } catch {
      return undefined;
    }
  }

  /** The token by which the newcomer signs in at the room, once. */
  async token(): Promise<string> {
    const key = await crypto.subtle.importKey('raw', this.#bytes, 'HKDF', false, ['deriveBits']);
    const bits = await crypto.subtle.deriveBits(info('show to the room'), key, 256);
    return TOKEN_PREFIX + toBase64Url(new Uint8Array(bits));
  }

  /** Seals a text for whoever holds the link; `about` is bound to it. */
  async seal(text: string, about: string, random: Random): Promise<string> {
    const iv = random.bytes(IV_BYTES);
    const bytes = new TextEncoder().encode(text);
    const sealed = await crypto.subtle.encrypt(gcm(iv, about), await this.#key(['encrypt']), bytes);
    return `${toBase64(iv)}.${toBase64(new Uint8Array(sealed))}`;
  }

  /** Rejects when the text was not sealed by this secret about this. */
  async open(sealed: string, about: string): Promise<string> {
    const [iv = '', bytes = ''] = sealed.split('.');
    const params = gcm(fromBase64(iv), about);
    return new TextDecoder().decode(
      new Uint8Array(await crypto.subtle.decrypt(params, await this.#key(['decrypt']), fromBase64(bytes))),
    );
  }

  async #key(usages: ('encrypt' | 'decrypt')[]): Promise<CryptoKey> {
    const key = await crypto.subtle.importKey('raw', this.#bytes, 'HKDF', false, ['deriveKey']);
    return crypto.subtle.deriveKey(
      info('seal for the newcomer'),
      key,
      { name: 'AES-GCM', length: 256 },
      false,
      usages,
    );
  }
}

function gcm(iv: Uint8Array<ArrayBuffer>, about: string): AesGcmParams {
  return { name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(about) };
}
