import { concatBytes, toBase64Url } from '../../shared/std/bytes.ts';

type Bytes = Uint8Array<ArrayBuffer>;
const CURVE = { name: 'ECDH', namedCurve: 'P-256' } as const;
const encoder = new TextEncoder();
const bytesOf = (text: string): Bytes => encoder.encode(text) as Bytes;

/** The receiving end of web push: a browser's subscription, and its way to read what comes (RFC 8291, RFC 8188). */
export class PushBrowser {
  readonly #pair: CryptoKeyPair;
  readonly #publicKey: Bytes;
  readonly #auth = crypto.getRandomValues(new Uint8Array(16));

  private constructor(pair: CryptoKeyPair, publicKey: Bytes) {
    this.#pair = pair;
    this.#publicKey = publicKey;
  }

  static async create(): Promise<PushBrowser> {
    const pair = await crypto.subtle.generateKey(CURVE, true, ['deriveBits']);
    return new PushBrowser(pair, new Uint8Array(await crypto.subtle.exportKey('raw', pair.publicKey)));
  }

  /** As a page hands it to its kernel. */
  subscription(endpoint: string): { endpoint: string; p256dh: string; auth: string } {
    return { endpoint, p256dh: toBase64Url(this.#publicKey), auth: toBase64Url(this.#auth) };
  }

  /** Rejects when the message is not for this browser. */
  async read(message: Bytes): Promise<unknown> {
    const salt = message.slice(0, 16);
    const length = message[20] ?? 0;
    const sender = message.slice(21, 21 + length);
    const theirs = await crypto.subtle.importKey('raw', sender, CURVE, false, []);
    const agreement = { name: 'ECDH', public: theirs };
    const shared = new Uint8Array(await crypto.subtle.deriveBits(agreement, this.#pair.privateKey, 256));
    const info = concatBytes([bytesOf('WebPush: info\0'), this.#publicKey, sender]);
    const input = await hkdf(shared, this.#auth, info, 32);
    const key = await hkdf(input, salt, bytesOf('Content-Encoding: aes128gcm\0'), 16);
    const iv = await hkdf(input, salt, bytesOf('Content-Encoding: nonce\0'), 12);
    const cipher = await crypto.subtle.importKey('raw', key, 'AES-GCM', false, ['decrypt']);
    const sealed = message.slice(21 + length);
    const record = new Uint8Array(await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, cipher, sealed));
    return JSON.parse(new TextDecoder().decode(record.slice(0, record.lastIndexOf(2))));
  }
}

async function hkdf(input: Bytes, salt: Bytes, info: Bytes, length: number): Promise<Bytes> {
  const key = await crypto.subtle.importKey('raw', input, 'HKDF', false, ['deriveBits']);
  const how = { name: 'HKDF', hash: 'SHA-256', salt, info };
  return new Uint8Array(await crypto.subtle.deriveBits(how, key, length * 8));
}
