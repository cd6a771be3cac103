import { concatBytes, sha256Hex } from '../../std/bytes.ts';
import type { Random } from '../../std/random.ts';
import { associatedData, decodeHead, type EntryHead, encodeHead, NONCE_BYTES } from './entry.ts';
import { SealFault } from './fault.ts';
import type { Keyring } from './keyring.ts';

/** An entry as it travels, and its hash. */
export type WrittenEntry = { bytes: Uint8Array<ArrayBuffer>; hash: string };
/** An entry whose origin is proved. */
export type OpenedEntry = { head: EntryHead; payload: Uint8Array; hash: string };

/** Writes and reads the entries of one document. */
export class EntryCipher {
  readonly #keyring: () => Keyring;
  readonly #document: string;
  readonly #random: Random;

  /** `keyring`: the keys that are known at that moment. */
  constructor(keyring: () => Keyring, document: string, random: Random) {
    this.#keyring = keyring;
    this.#document = document;
    this.#random = random;
  }

  /** Derives the newest key ahead of its first use. */
  prepare(): void {
    const keyring = this.#keyring();
    void keyring.documentKey(keyring.epoch, this.#document);
  }

  /** Under the newest key. */
  async seal(head: Omit<EntryHead, 'epoch' | 'nonce'>, payload: Uint8Array): Promise<WrittenEntry> {
    const keyring = this.#keyring();
    const { epoch } = keyring;
    const nonce = this.#random.bytes(NONCE_BYTES);
    const start = encodeHead({ ...head, epoch, nonce });
    const key = await keyring.documentKey(epoch, this.#document);
    const params = this.#params(nonce, start);
    const sealed = await crypto.subtle.encrypt(params, key, payload as Uint8Array<ArrayBuffer>);
    const bytes = concatBytes([start, new Uint8Array(sealed)]);
    return { bytes, hash: await sha256Hex(bytes) };
  }

  /** Rejects with SealFault when nobody with the keys wrote these bytes for this document. */
  async open(bytes: Uint8Array): Promise<OpenedEntry> {
    const { length, ...head } = decodeHead(bytes);
    const [payload, hash] = await Promise.all([
      this.#payload(bytes, length, head),
      sha256Hex(bytes as Uint8Array<ArrayBuffer>),
    ]);
    return { head, payload, hash };
  }

  /** What stands after the first `length` bytes. */
  async #payload(bytes: Uint8Array, length: number, { epoch, nonce }: EntryHead): Promise<Uint8Array> {
    const key = await this.#keyring().documentKey(epoch, this.#document);
    const params = this.#params(nonce, bytes.subarray(0, length));
    const body = bytes.subarray(length) as Uint8Array<ArrayBuffer>;
    const opened = await crypto.subtle.decrypt(params, key, body).catch(() => {
      throw new SealFault('foreign', `An entry of ${this.#document} is not what its writer wrote`);
    });
    return new Uint8Array(opened);
  }

  #params(nonce: Uint8Array<ArrayBuffer>, start: Uint8Array): AesGcmParams {
    const place = { gsvId: this.#keyring().gsvId, document: this.#document };
    return { name: 'AES-GCM', iv: nonce, additionalData: associatedData(start, place) };
  }
}
