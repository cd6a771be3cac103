import { Inflate } from 'fflate';
import type { ByteReader } from './byte-reader.ts';
import { Crc32 } from './crc32.ts';
import { damaged } from './damaged.ts';
import {
  CENTRAL_HEADER,
  DEFLATED,
  END,
  END_BYTES,
  type EntryHeader,
  LOCAL_HEADER,
  LOCAL_HEADER_BYTES,
  parseLocalHeader,
  STORED,
} from './zip-format.ts';

export type ZipEntry = {
  name: string;
  /** Bytes of the contents, as its header says; `contents` gives as many or fails. */
  size: number;
  /** Read it to its end before the next entry is asked for. */
  contents(): AsyncGenerator<Uint8Array>;
};

const LONGEST_NAME = 2048;
const MOST_ENTRIES = 1_000_000;
/** Deflate expands its input to at most 1,032 times as much: so few bytes at once never come to more than 8 MiB. */
const INFLATE_BYTES = 8 * 1024;

/**
 * The entries of a zip file in the order in which they stand in it, as `ZipWriter` writes them: sizes in the headers,
 * nothing encrypted, no name twice. Ends when the file has ended well. Rejects with SyscallError 400 on anything else.
 */
export async function* readEntries(reader: ByteReader): AsyncGenerator<ZipEntry> {
  const names = new Set<string>();
  for (;;) {
    const signature = u32(await reader.take(4));
    if (signature === CENTRAL_HEADER && names.size > 0) return checkEnd(reader);
    if (signature !== LOCAL_HEADER)
      throw damaged(names.size === 0 ? 'it is not a zip file' : 'it is broken in the middle');
    const header = await readHeader(reader);
    if (names.has(header.name)) throw damaged(`it holds ${header.name} twice`);
    if (names.size >= MOST_ENTRIES) throw damaged('it has too many entries');
    names.add(header.name);
    yield { name: header.name, size: header.size, contents: () => contentsOf(reader, header) };
  }
}

async function readHeader(reader: ByteReader): Promise<EntryHeader> {
  const fixed = new Uint8Array(LOCAL_HEADER_BYTES);
  fixed.set(await reader.take(LOCAL_HEADER_BYTES - 4), 4);
  const { nameBytes, ...header } = parseLocalHeader(fixed);
  if (nameBytes === 0 || nameBytes > LONGEST_NAME) throw damaged('a name in it is too long');
  // A streamed size or encryption is one of the flags; what GSV writes has none.
  if (header.flags !== 0) throw damaged('it was not written by GSV, or was packed anew by another program');
  if (header.method !== STORED && header.method !== DEFLATED) throw damaged('it is packed in an unknown way');
  if (header.method === STORED && header.size !== header.packedSize) throw damaged('its sizes do not fit');
  const name = printable(await reader.take(nameBytes));
  await reader.take(header.extraBytes);
  return { ...header, name };
}

function printable(name: Uint8Array): string {
  if (name.some((byte) => byte < 0x21 || byte > 0x7e))
    throw damaged('a name in it is not one that GSV gives');
  return String.fromCharCode(...name);
}

async function* contentsOf(reader: ByteReader, header: EntryHeader): AsyncGenerator<Uint8Array> {
  const crc = new Crc32();
  let size = 0;
  const pieces = reader.pieces(header.packedSize);
  for await (const piece of header.method === STORED ? pieces : inflated(pieces, header.name)) {
    size += piece.length;
    if (size > header.size) throw damaged(`${header.name} is larger than was said`);
    crc.add(piece);
    yield piece;
  }
  if (size !== header.size || crc.value !== header.crc) throw damaged(`${header.name} is damaged`);
}

/** What the packed bytes stand for; never much more at once than `INFLATE_BYTES` can become. */
async function* inflated(pieces: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
  let out: Uint8Array[] = [];
  const inflate = new Inflate((part) => void out.push(part));
  const push = (bytes: Uint8Array, last: boolean): Uint8Array[] => {
    out = [];
    try {
      inflate.push(bytes, last);
    } catch {
      throw damaged(`${name} is damaged`);
    }
    return out;
  };
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length; at += INFLATE_BYTES)
      yield* push(piece.subarray(at, at + INFLATE_BYTES), false);
  }
  yield* push(new Uint8Array(0), true);
}

/** The central directory repeats what was read; only that the file is there to its last byte matters. */
async function checkEnd(reader: ByteReader): Promise<void> {
  const tail = new Uint8Array(END_BYTES);
  for await (const piece of reader.rest()) {
    const kept = piece.subarray(-END_BYTES);
    tail.copyWithin(0, kept.length);
    tail.set(kept, END_BYTES - kept.length);
  }
  if (u32(tail) !== END) throw damaged('it ends too early');
}

function u32(bytes: Uint8Array): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
}
