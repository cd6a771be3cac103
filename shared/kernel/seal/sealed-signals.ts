import { Type } from 'typebox';
import { concatBytes, fromBase64, toBase64 } from '../../std/bytes.ts';
import { matches } from '../../std/matches.ts';
import type { Random } from '../../std/random.ts';
import { lengthAndText, NONCE_BYTES } from './entry.ts';
import type { Keyring } from './keyring.ts';

const VERSION = 1;
const NONCE_AT = 5;
const SEALED_AT = NONCE_AT + NONCE_BYTES;
/** No document is called so; a key is derived for it as for one. */
const SIGNALS = '.signals';
/** Kernels whose last number is remembered. */
const MOST_SENDERS = 1000;

const Content = Type.Object({
  /** Of one kernel from its start to its end. */
  sender: Type.String(),
  n: Type.Integer({ minimum: 1 }),
  signal: Type.Unknown(),
});

/** Signals from browser to browser that the room passes on and cannot read, make, change or repeat to who heard them. */
export class SealedSignals {
  readonly #keyring: () => Keyring;
  readonly #random: Random;
  readonly #sender: string;
  readonly #heard = new Map<string, number>();
  #sent = 0;

  /** `keyring` is asked each time. */
  constructor(keyring: () => Keyring, random: Random) {
    this.#keyring = keyring;
    this.#random = random;
    this.#sender = random.uuid();
  }

  async seal(signal: unknown): Promise<string> {
    const keyring = this.#keyring();
    this.#sent += 1;
    const content = { sender: this.#sender, n: this.#sent, signal };
    const head = concatBytes([new Uint8Array([VERSION, 0, 0, 0, 0]), this.#random.bytes(NONCE_BYTES)]);
    new DataView(head.buffer).setUint32(1, keyring.epoch);
    const key = await keyring.documentKey(keyring.epoch, SIGNALS);
    const bytes = new TextEncoder().encode(JSON.stringify(content));
    const sealed = await crypto.subtle.encrypt(paramsOf(head, keyring), key, bytes);
    return toBase64(concatBytes([head, new Uint8Array(sealed)]));
  }

  /** Rejects on what no browser with these keys said, under a key that is not known (yet), or what was heard before. */
  async open(text: string): Promise<unknown> {
    const keyring = this.#keyring();
    const bytes = fromBase64(text);
    if (bytes[0] !== VERSION || bytes.length < SEALED_AT) throw new Error('This is no sealed signal');
    const head = bytes.slice(0, SEALED_AT);
    const key = await keyring.documentKey(new DataView(head.buffer).getUint32(1), SIGNALS);
    const opened = await crypto.subtle.decrypt(paramsOf(head, keyring), key, bytes.slice(SEALED_AT));
    const content: unknown = JSON.parse(new TextDecoder().decode(new Uint8Array(opened)));
    if (!matches(Content, content)) throw new Error('This signal has another form');
    this.#note(content.sender, content.n);
    return content.signal;
  }

  #note(sender: string, n: number): void {
    const last = this.#heard.get(sender) ?? 0;
    if (sender === this.#sender || n <= last) throw new Error('This signal was heard before');
    this.#heard.delete(sender);
    this.#heard.set(sender, n);
    const [oldest] = this.#heard.keys();
    if (this.#heard.size > MOST_SENDERS && oldest !== undefined) this.#heard.delete(oldest);
  }
}

function paramsOf(head: Uint8Array<ArrayBuffer>, { gsvId }: Keyring): AesGcmParams {
  const additionalData = concatBytes([head, lengthAndText(gsvId)]);
  return { name: 'AES-GCM', iv: head.slice(NONCE_AT), additionalData };
}
