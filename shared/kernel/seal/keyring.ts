import { Type } from 'typebox';
import { concatBytes, fromBase64Url, toBase64Url } from '../../std/bytes.ts';
import { matches } from '../../std/matches.ts';
import type { Random } from '../../std/random.ts';
import { announcementOf, readAnnouncement } from './announcement.ts';
import { lengthAndText } from './entry.ts';
import { SealFault } from './fault.ts';

const KEY_BYTES = 32;
const SALT = new TextEncoder().encode('gsv seal 1');

const Stored = Type.Object({
  gsvId: Type.String({ minLength: 1 }),
  keys: Type.Array(Type.String(), { minItems: 1 }),
});

/**
 * The keys of one GSV, oldest first; the number of a key is its epoch, from 1. What is written is sealed by the newest,
 * what was written before is read by the one that it names. Each document has a key of its own, derived from it.
 */
export class Keyring {
  readonly gsvId: string;
  readonly #keys: readonly Uint8Array<ArrayBuffer>[];
  readonly #secrets = new Map<number, Promise<CryptoKey>>();
  readonly #derived = new Map<string, Promise<CryptoKey>>();

  private constructor(gsvId: string, keys: readonly Uint8Array<ArrayBuffer>[]) {
    this.gsvId = gsvId;
    this.#keys = keys;
  }

  /** Of a new GSV. */
  static make(random: Random): Keyring {
    return new Keyring(random.uuid(), [random.bytes(KEY_BYTES)]);
  }

  /** Throws on a text that `text` did not give. */
  static parse(text: string): Keyring {
    const stored: unknown = JSON.parse(text);
    if (!matches(Stored, stored)) throw new Error('These keys cannot be read');
    const keys = stored.keys.map(fromBase64Url);
    if (keys.some(({ length }) => length !== KEY_BYTES)) throw new Error('These keys cannot be read');
    return new Keyring(stored.gsvId, keys);
  }

  /** Everything, in the clear: for a vault, or to be sealed for another browser. */
  get text(): string {
    return JSON.stringify({ gsvId: this.gsvId, keys: this.#keys.map(toBase64Url) });
  }

  /** Of what is written now. */
  get epoch(): number {
    return this.#keys.length;
  }

  /** With a new key, which whoever has this one only does not know. */
  rotated(random: Random): Keyring {
    return new Keyring(this.gsvId, [...this.#keys, random.bytes(KEY_BYTES)]);
  }

  /**
   * What whoever shall know the key of an epoch is told: in the clear, so it goes into a box. Rejects with SealFault when
   * there is no such epoch.
   */
  async announcement(epoch: number): Promise<string> {
    return announcementOf({ gsvId: this.gsvId, epoch, key: this.#bytes(epoch) }, await this.#proving(epoch));
  }

  /** With the key that is announced, of the next epoch. Rejects unless whoever announces it had the newest one of these. */
  async extended(announcement: string): Promise<Keyring> {
    const next = { gsvId: this.gsvId, epoch: this.epoch + 1 };
    const key = await readAnnouncement(announcement, next, await this.#proving(next.epoch));
    return new Keyring(this.gsvId, [...this.#keys, key]);
  }

  /** Of the first key of a GSV, which nobody had one before. Throws on an announcement of another one. */
  static begun(gsvId: string, announcement: string): Keyring {
    return new Keyring(gsvId, [readAnnouncement(announcement, { gsvId, epoch: 1 }, null)]);
  }

  /** What tells the key of an epoch from any other, and nothing about it. */
  async print(epoch: number): Promise<string> {
    return toBase64Url(await this.bits(epoch, 'print', ''));
  }

  /** Whether it holds every key of another, and perhaps newer ones. */
  continues(other: Keyring): boolean {
    return this.gsvId === other.gsvId && other.#keys.every((key, at) => isSame(key, this.#keys[at]));
  }

  /** The key of a document in an epoch. Rejects with SealFault when there is no such epoch. */
  documentKey(epoch: number, document: string): Promise<CryptoKey> {
    const name = `${epoch}/${document}`;
    const known = this.#derived.get(name) ?? this.key(epoch, 'document', document);
    this.#derived.set(name, known);
    return known;
  }

  /** Forgets what was derived for a document that is not used any more. */
  forget(document: string): void {
    for (let epoch = 1; epoch <= this.epoch; epoch += 1) this.#derived.delete(`${epoch}/${document}`);
  }

  /** A key for one use of one thing in an epoch. Rejects with SealFault when there is no such epoch. */
  async key(epoch: number, use: string, subject: string): Promise<CryptoKey> {
    const secret = await this.#secret(epoch);
    const cipher = { name: 'AES-GCM', length: 256 } as const;
    return crypto.subtle.deriveKey(this.#derivation(use, subject), secret, cipher, false, [
      'encrypt',
      'decrypt',
    ]);
  }

  /** 32 bytes for one use of one thing in an epoch, as `key`. They tell nobody what else there is. */
  async bits(epoch: number, use: string, subject: string): Promise<Uint8Array<ArrayBuffer>> {
    const secret = await this.#secret(epoch);
    return new Uint8Array(
      await crypto.subtle.deriveBits(this.#derivation(use, subject), secret, 8 * KEY_BYTES),
    );
  }

  async #secret(epoch: number): Promise<CryptoKey> {
    const known = this.#secrets.get(epoch);
    if (known) return known;
    const bytes = this.#bytes(epoch);
    const secret = crypto.subtle.importKey('raw', bytes, 'HKDF', false, ['deriveKey', 'deriveBits']);
    this.#secrets.set(epoch, secret);
    return secret;
  }

  /** Nothing is before the first key that could prove it. */
  async #proving(epoch: number): Promise<Uint8Array | null> {
    return epoch === 1 ? null : this.bits(epoch - 1, 'announcement', '');
  }

  #bytes(epoch: number): Uint8Array<ArrayBuffer> {
    const key = this.#keys[epoch - 1];
    if (!key) throw new SealFault('locked', `There is no key of epoch ${epoch}`);
    return key;
  }

  #derivation(use: string, subject: string): HkdfParams {
    const info = concatBytes([use, this.gsvId, subject].map(lengthAndText));
    return { name: 'HKDF', hash: 'SHA-256', salt: SALT, info };
  }
}

function isSame(one: Uint8Array, other: Uint8Array | undefined): boolean {
  return other !== undefined && toBase64Url(one) === toBase64Url(other);
}
