import { type Static, type TSchema, Type } from 'typebox';
import { SyscallError } from '../../../protocol/errors.ts';
import { checkParts } from '../../../protocol/frames.ts';
import { limits } from '../../../protocol/limits.ts';
import { concatBytes, fromBase64, toBase64 } from '../../../std/bytes.ts';
import { matches } from '../../../std/matches.ts';
import type { Random } from '../../../std/random.ts';
import { type DeviceSecret, NONCE_BYTES } from './device-secret.ts';

const VERSION = 1;
const NUMBER_BYTES = 4;
/** Of a message's JSON, so that what it is sealed to fits a body. */
const MOST_BYTES = 88 * 1024 * 1024;
const ALONE = { number: 0, last: true };

/**
 * A call as the device reads it, and what makes it happen once: `session` is what this run of the driver said last, and
 * a nonce is taken once in a session. Without `call` it asks for the session.
 */
const Call = Type.Object({
  session: Type.String(),
  call: Type.Optional(Type.String()),
  args: Type.Optional(Type.Unknown()),
  key: Type.Optional(Type.String({ minLength: 1, maxLength: limits.idLength })),
});
export type TunnelCall = Static<typeof Call>;

/** `session`: the call was not looked at; made again under this one it will be. */
const Answer = Type.Union([
  Type.Object({ session: Type.String() }),
  Type.Object({
    error: Type.Object({
      code: Type.Integer(),
      message: Type.String(),
      details: Type.Optional(Type.Unknown()),
      retryable: Type.Optional(Type.Boolean()),
    }),
  }),
  Type.Object({ data: Type.Unknown() }),
]);
export type TunnelAnswer =
  | { session: string }
  | { error: { code: number; message: string; details?: unknown; retryable?: boolean } }
  | { data: unknown };

/** A message and the nonce that it was sealed under. */
export type Sealed = { text: string; nonce: Uint8Array<ArrayBuffer> };
export type Opened<Content> = { content: Content; nonce: Uint8Array<ArrayBuffer> };

/** Throws 413 on a call that is too long. */
export async function sealCall(secret: DeviceSecret, call: TunnelCall, random: Random): Promise<Sealed> {
  const nonce = random.bytes(NONCE_BYTES);
  const cipher = await secret.cipher('call', [nonce]);
  return { text: message(nonce, [], await cipher.seal(encode(call), ALONE)), nonce };
}

/** Rejects when the text is no call that was sealed for this device. */
export async function openCall(secret: DeviceSecret, text: string): Promise<Opened<TunnelCall>> {
  const { nonce, rest } = parse(text);
  const cipher = await secret.cipher('call', [nonce]);
  return { content: decode(Call, await cipher.open(rest, ALONE)), nonce };
}

/** Seals what a device says of one call: its answer, and what there is so far. */
export class AnswerSealer {
  readonly nonce: Uint8Array<ArrayBuffer>;
  readonly #secret: DeviceSecret;
  readonly #call: Uint8Array;
  #said = 0;

  constructor(secret: DeviceSecret, call: Uint8Array, random: Random) {
    this.nonce = random.bytes(NONCE_BYTES);
    this.#secret = secret;
    this.#call = call;
  }

  /** To be used once. Rejects with 413 when the answer is too long. */
  async answer(answer: TunnelAnswer): Promise<string> {
    const cipher = await this.#secret.cipher('answer', [this.#call, this.nonce]);
    return message(this.nonce, [], await cipher.seal(encode(answer), ALONE));
  }

  async progress(text: string): Promise<string> {
    this.#said += 1;
    const place = { number: this.#said, last: false };
    const number = new Uint8Array(NUMBER_BYTES);
    new DataView(number.buffer).setUint32(0, place.number);
    const cipher = await this.#secret.cipher('progress', [this.#call, this.nonce]);
    return message(this.nonce, [number], await cipher.seal(new TextEncoder().encode(text), place));
  }
}

/** Rejects when the text is not what the device answered to the call with this nonce. */
export async function openAnswer(
  secret: DeviceSecret,
  call: Uint8Array,
  text: string,
): Promise<Opened<TunnelAnswer>> {
  const { nonce, rest } = parse(text);
  const cipher = await secret.cipher('answer', [call, nonce]);
  return { content: decode(Answer, await cipher.open(rest, ALONE)) as TunnelAnswer, nonce };
}

/** Rejects when the device did not say this of the call. `number` rises from 1. */
export async function openProgress(
  secret: DeviceSecret,
  call: Uint8Array,
  sealed: string,
): Promise<{ text: string; number: number }> {
  const { nonce, rest } = parse(sealed);
  const number = new DataView(rest.buffer, rest.byteOffset).getUint32(0);
  const cipher = await secret.cipher('progress', [call, nonce]);
  const bytes = await cipher.open(rest.slice(NUMBER_BYTES), { number, last: false });
  return { text: new TextDecoder().decode(bytes), number };
}

function message(nonce: Uint8Array, more: Uint8Array[], sealed: Uint8Array): string {
  return toBase64(concatBytes([new Uint8Array([VERSION]), nonce, ...more, sealed]));
}

function parse(text: string): { nonce: Uint8Array<ArrayBuffer>; rest: Uint8Array<ArrayBuffer> } {
  const bytes = fromBase64(text);
  if (bytes[0] !== VERSION) throw new Error('This message has another version');
  return { nonce: bytes.slice(1, 1 + NONCE_BYTES), rest: bytes.slice(1 + NONCE_BYTES) };
}

function encode(content: TunnelCall | TunnelAnswer): Uint8Array<ArrayBuffer> {
  const bytes = new TextEncoder().encode(JSON.stringify(content));
  if (bytes.length > MOST_BYTES) throw new SyscallError(413, 'This is too long for a sealed call: 88 MiB');
  return bytes;
}

function decode<Schema extends TSchema>(schema: Schema, bytes: Uint8Array): Static<Schema> {
  const content: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  checkParts(content);
  if (!matches(schema, content)) throw new Error('This message has another form');
  return content as Static<Schema>;
}
