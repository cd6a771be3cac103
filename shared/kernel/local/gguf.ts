/** What is read of a GGUF file before anything runs it. */
export type GgufFacts = { name: string; architecture: string; contextWindow: number; chatTemplate: boolean };

/** The head of a file in which its facts stand; tokens of a vocabulary come after them. */
export const GGUF_HEAD_BYTES = 4 * 1024 * 1024;

const NOT_GGUF = 'This is not a GGUF file.';
const UNKNOWN_WINDOW = 4_096;
/** Widths of the format's plain types by their number; 8 is a string, 9 an array. */
const WIDTHS: Record<number, number> = {
  0: 1,
  1: 1,
  2: 2,
  3: 2,
  4: 4,
  5: 4,
  6: 4,
  7: 1,
  10: 8,
  11: 8,
  12: 8,
};
const STRING = 8;
const ARRAY = 9;
const UINT32 = 4;
const UINT64 = 10;
const MOST_KEYS = 4_096;

/**
 * Reads the facts at the head of a GGUF file. Throws a sentence for a person when it is none. What stands beyond the
 * given bytes is left unknown: the vocabulary of a large model, and what comes after it.
 */
export function readGguf(head: Uint8Array): GgufFacts {
  const cursor = new Cursor(head);
  if (head.length < 24 || cursor.magic() !== 'GGUF') throw new Error(NOT_GGUF);
  const version = cursor.uint32();
  if (version < 2 || version > 3)
    throw new Error(`This GGUF file has version ${version}, which is not supported.`);
  cursor.uint64();
  const keys = Math.min(cursor.uint64(), MOST_KEYS);
  const found = new Map<string, unknown>();
  try {
    for (let at = 0; at < keys; at += 1) {
      const key = cursor.text();
      found.set(key, cursor.value(cursor.uint32()));
    }
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
  }
  const architecture = String(found.get('general.architecture') ?? '');
  if (architecture === '') throw new Error(NOT_GGUF);
  const window = Number(found.get(`${architecture}.context_length`));
  return {
    name: String(found.get('general.name') ?? ''),
    architecture,
    contextWindow: window > 0 ? window : UNKNOWN_WINDOW,
    chatTemplate: found.has('tokenizer.chat_template'),
  };
}

/** Reads past its end with a RangeError. */
class Cursor {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  magic(): string {
    return new TextDecoder().decode(this.#take(4));
  }

  uint32(): number {
    this.#at += 4;
    return this.#view.getUint32(this.#at - 4, true);
  }

  uint64(): number {
    this.#at += 8;
    return Number(this.#view.getBigUint64(this.#at - 8, true));
  }

  text(): string {
    return new TextDecoder().decode(this.#take(this.uint64()));
  }

  value(type: number): unknown {
    if (type === STRING) return this.text();
    if (type === UINT32) return this.uint32();
    if (type === UINT64) return this.uint64();
    if (type === ARRAY) return this.#skipArray();
    const width = WIDTHS[type];
    if (width === undefined) throw new Error(NOT_GGUF);
    this.#take(width);
    return undefined;
  }

  #skipArray(): undefined {
    const type = this.uint32();
    const count = this.uint64();
    const width = WIDTHS[type];
    if (width !== undefined) this.#take(width * count);
    else for (let at = 0; at < count; at += 1) this.value(type);
    return undefined;
  }

  #take(length: number): Uint8Array {
    if (this.#at + length > this.#bytes.length) throw new RangeError('The head ends here');
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }
}
