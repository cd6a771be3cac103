const IV_BYTES = 12;
const LAST_AT = 7;
const NUMBER_AT = 8;
const NOTHING = new Uint8Array();

/** Where a part stands among those that one key seals. */
export type PartPlace = { number: number; last: boolean };

/** Seals numbered parts under a key that is used for nothing else; each number is sealed once. */
export class PartCipher {
  readonly #key: CryptoKey;

  constructor(key: CryptoKey) {
    this.#key = key;
  }

  async seal(bytes: Uint8Array<ArrayBuffer>, place: PartPlace): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(await crypto.subtle.encrypt(params(place), this.#key, bytes));
  }

  /** Rejects when the bytes were not sealed by this key for this place. */
  async open(sealed: Uint8Array<ArrayBuffer>, place: PartPlace): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(await crypto.subtle.decrypt(params(place), this.#key, sealed));
  }
}

function params({ number, last }: PartPlace): AesGcmParams {
  const iv = new Uint8Array(IV_BYTES);
  iv[LAST_AT] = last ? 1 : 0;
  new DataView(iv.buffer).setUint32(NUMBER_AT, number);
  return { name: 'AES-GCM', iv, additionalData: NOTHING };
}
