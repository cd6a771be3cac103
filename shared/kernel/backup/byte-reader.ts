import type { ByteStream } from '../../protocol/streams.ts';
import { concatBytes } from '../../std/bytes.ts';
import { damaged } from './damaged.ts';

/** Reads a stream of at most `most` bytes by exact lengths. Rejects with SyscallError when it is shorter or longer. */
export class ByteReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #most: number;
  readonly #signal: AbortSignal;
  #left: Uint8Array = new Uint8Array(0);
  #received = 0;

  constructor(stream: ByteStream, most: number, signal: AbortSignal) {
    this.#reader = stream.getReader();
    this.#most = most;
    this.#signal = signal;
  }

  /** Bytes that came, read or not. */
  get received(): number {
    return this.#received;
  }

  async take(length: number): Promise<Uint8Array> {
    if (length <= this.#left.length) return this.#cut(length);
    const pieces: Uint8Array[] = [];
    for await (const piece of this.pieces(length)) pieces.push(piece);
    return concatBytes(pieces);
  }

  /** The next `length` bytes in pieces as they come. */
  async *pieces(length: number): AsyncGenerator<Uint8Array> {
    for (let needed = length; needed > 0; ) {
      if (this.#left.length === 0 && !(await this.#fill())) throw damaged('it ends too early');
      const piece = this.#cut(needed);
      needed -= piece.length;
      yield piece;
    }
  }

  /** Everything to the end of the stream. */
  async *rest(): AsyncGenerator<Uint8Array> {
    do {
      if (this.#left.length > 0) yield this.#left;
    } while (await this.#fill());
  }

  /** Stops the sender. Never rejects. */
  cancel(reason: unknown): void {
    void this.#reader.cancel(reason).catch(() => {});
  }

  /** At most so many of the bytes that are here. */
  #cut(length: number): Uint8Array {
    const piece = this.#left.subarray(0, length);
    this.#left = this.#left.subarray(piece.length);
    return piece;
  }

  async #fill(): Promise<boolean> {
    this.#signal.throwIfAborted();
    const step = await this.#reader.read();
    this.#signal.throwIfAborted();
    this.#left = step.done ? new Uint8Array(0) : step.value;
    this.#received += this.#left.length;
    if (this.#received > this.#most) throw damaged('it is longer than was said');
    return !step.done;
  }
}
