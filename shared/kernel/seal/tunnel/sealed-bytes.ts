import { SyscallError } from '../../../protocol/errors.ts';
import type { ByteStream } from '../../../protocol/streams.ts';
import { concatBytes } from '../../../std/bytes.ts';
import type { PartCipher } from './part-cipher.ts';

/** Plain bytes of one part, at most. */
const PART_BYTES = 128 * 1024;
const TAG_BYTES = 16;
/** Whether it is the last one, and how many sealed bytes follow. */
const HEAD_BYTES = 5;

/** The stream in sealed parts, the last of which is marked and empty. */
export function sealBytes(source: ByteStream, cipher: PartCipher): ByteStream {
  const reader = source.getReader();
  let number = 0;
  const part = async (bytes: Uint8Array, last: boolean): Promise<Uint8Array> => {
    const sealed = await cipher.seal(bytes.slice() as Uint8Array<ArrayBuffer>, { number, last });
    number += 1;
    const head = new Uint8Array(HEAD_BYTES);
    head[0] = last ? 1 : 0;
    new DataView(head.buffer).setUint32(1, sealed.length);
    return concatBytes([head, sealed]);
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const step = await reader.read();
        if (step.done) {
          controller.enqueue(await part(new Uint8Array(), true));
          controller.close();
          return;
        }
        const parts: Uint8Array[] = [];
        for (let at = 0; at < step.value.length || parts.length === 0; at += PART_BYTES)
          parts.push(await part(step.value.subarray(at, at + PART_BYTES), false));
        controller.enqueue(concatBytes(parts));
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** What `sealBytes` sealed. Fails with 502 when anything is missing, added, changed or out of its place. */
export function openBytes(source: ByteStream, cipher: PartCipher): ByteStream {
  const reader = new Pieces(source);
  let number = 0;
  const next = async (): Promise<Uint8Array | null> => {
    const head = await reader.take(HEAD_BYTES);
    const last = head[0] === 1;
    const length = new DataView(head.buffer, head.byteOffset).getUint32(1);
    if (length > PART_BYTES + TAG_BYTES) throw damaged();
    const sealed = (await reader.take(length)).slice() as Uint8Array<ArrayBuffer>;
    const bytes = await cipher.open(sealed, { number, last }).catch(() => {
      throw damaged();
    });
    number += 1;
    if (last) await reader.ended();
    return last ? null : bytes;
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const bytes = await next().catch((thrown: unknown) => {
          void reader.cancel(thrown);
          throw thrown;
        });
        if (bytes === null) controller.close();
        else controller.enqueue(bytes);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** A stream taken in pieces of a length that the reader says. */
class Pieces {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  #held = new Uint8Array();

  constructor(source: ByteStream) {
    this.#reader = source.getReader();
  }

  async take(length: number): Promise<Uint8Array> {
    const chunks = [this.#held];
    for (let have = this.#held.length; have < length; have += chunks.at(-1)?.length ?? 0) {
      const step = await this.#reader.read();
      if (step.done) throw damaged();
      chunks.push(step.value as Uint8Array<ArrayBuffer>);
    }
    const [only, ...more] = chunks;
    const whole = more.length === 0 && only ? only : concatBytes(chunks);
    this.#held = whole.subarray(length);
    return whole.subarray(0, length);
  }

  async ended(): Promise<void> {
    const step = this.#held.length > 0 ? { done: false } : await this.#reader.read();
    if (!step.done) throw damaged();
  }

  cancel(reason: unknown): Promise<void> {
    return this.#reader.cancel(reason).catch(() => {});
  }
}

function damaged(): SyscallError {
  return new SyscallError(502, 'The bytes were changed or cut short on their way');
}
