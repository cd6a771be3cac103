import type { Packed } from './pack.ts';
import { centralHeader, endOf, localHeader, stampOf } from './zip-format.ts';

/**
 * Writes a zip file from its beginning to its end. Sizes stand before each entry's bytes, never after them, so that the
 * file can be read as a stream without guessing where an entry ends. Any number of entries and bytes.
 */
export class ZipWriter {
  readonly #stamp: ReturnType<typeof stampOf>;
  readonly #directory: Uint8Array[] = [];
  #offset = 0;

  /** `now`: the time that entries bear, in milliseconds since the epoch. */
  constructor(now: number) {
    this.#stamp = stampOf(now);
  }

  *entry(name: string, packed: Packed): Generator<Uint8Array> {
    const written = { ...packed, name };
    const header = localHeader(written, this.#stamp);
    this.#directory.push(centralHeader(written, this.#stamp, this.#offset));
    this.#offset += header.length + packed.packedSize;
    yield header;
    yield* packed.parts;
  }

  *end(): Generator<Uint8Array> {
    const size = this.#directory.reduce((total, header) => total + header.length, 0);
    yield* this.#directory;
    yield endOf(this.#directory.length, size, this.#offset);
  }
}
