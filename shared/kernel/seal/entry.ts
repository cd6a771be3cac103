import { concatBytes, toHex } from '../../std/bytes.ts';
import { SealFault } from './fault.ts';

/** The first byte of everything in this format. */
export const ENTRY_VERSION = 1;
export const HASH_BYTES = 32;
export const WRITER_BYTES = 16;
export const NONCE_BYTES = 12;
const HEAD_BYTES = 76;
const WITNESS_BYTES = 56;
const MOST_WITNESSES = 0xffff;

/** Whether the payload is a change or the whole state. */
export type EntryMode = 'change' | 'snapshot';
const MODES: readonly EntryMode[] = ['change', 'snapshot'];

/** The newest entry of one writer in one document. */
export type Head = {
  /** From 1, without gaps. */
  n: number;
  /** Lower-case hexadecimal SHA-256 of the entry. */
  hash: string;
};
/** A head and whose it is: 16 bytes in lower-case hexadecimal. */
export type WriterHead = Head & { writer: string };

/** How many entries of a writer somebody knew of. */
export type WriterCount = Pick<WriterHead, 'writer' | 'n'>;

/** What stands in the clear before the payload; all of it is authenticated. */
export type EntryHead = {
  mode: EntryMode;
  /** Number of the key that it was made with. */
  epoch: number;
  writer: string;
  /** Of an entry, its own number; of a snapshot, that of its writer's newest entry in it, 0 when there is none. */
  n: number;
  /** Hash of the writer's entry before this one, or of the newest in a snapshot; zeros when there is none. */
  previous: string;
  nonce: Uint8Array<ArrayBuffer>;
  /** Of an entry, heads of others that its writer had read since its last entry; of a snapshot, every head in it. */
  witnesses: readonly WriterHead[];
};

export const NO_HASH = '0'.repeat(2 * HASH_BYTES);

export function encodeHead(head: EntryHead): Uint8Array<ArrayBuffer> {
  const { witnesses } = head;
  if (witnesses.length > MOST_WITNESSES) throw new Error('An entry names at most 65,535 writers');
  const bytes = new Uint8Array(HEAD_BYTES + WITNESS_BYTES * witnesses.length);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, ENTRY_VERSION);
  view.setUint8(1, MODES.indexOf(head.mode) + 1);
  view.setUint32(2, head.epoch);
  writeHex(bytes, 6, head.writer, WRITER_BYTES);
  view.setBigUint64(22, BigInt(head.n));
  writeHex(bytes, 30, head.previous, HASH_BYTES);
  bytes.set(head.nonce, 62);
  view.setUint16(74, witnesses.length);
  witnesses.forEach(({ writer, n, hash }, index) => {
    const at = HEAD_BYTES + WITNESS_BYTES * index;
    writeHex(bytes, at, writer, WRITER_BYTES);
    view.setBigUint64(at + 16, BigInt(n));
    writeHex(bytes, at + 24, hash, HASH_BYTES);
  });
  return bytes;
}

/** Reads what stands in the clear; `length` is where it ends. Throws SealFault on bytes that are no entry. */
export function decodeHead(bytes: Uint8Array): EntryHead & { length: number } {
  if (bytes.length < HEAD_BYTES || bytes[0] !== ENTRY_VERSION) throw notAnEntry();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const mode = MODES[view.getUint8(1) - 1];
  const count = view.getUint16(74);
  const length = HEAD_BYTES + WITNESS_BYTES * count;
  if (!mode || bytes.length < length) throw notAnEntry();
  return {
    mode,
    epoch: view.getUint32(2),
    writer: readHex(bytes, 6, WRITER_BYTES),
    n: readCount(view, 22),
    previous: readHex(bytes, 30, HASH_BYTES),
    nonce: bytes.slice(62, 62 + NONCE_BYTES) as Uint8Array<ArrayBuffer>,
    witnesses: Array.from({ length: count }, (_, index) =>
      readWitness(bytes, view, HEAD_BYTES + WITNESS_BYTES * index),
    ),
    length,
  };
}

function readWitness(bytes: Uint8Array, view: DataView, at: number): WriterHead {
  return {
    writer: readHex(bytes, at, WRITER_BYTES),
    n: readCount(view, at + 16),
    hash: readHex(bytes, at + 24, HASH_BYTES),
  };
}

/** What a key is told beside the payload: all of an entry before it, and where it belongs. */
export function associatedData(
  head: Uint8Array,
  { gsvId, document }: { gsvId: string; document: string },
): Uint8Array<ArrayBuffer> {
  return concatBytes([head, lengthAndText(gsvId), lengthAndText(document)]);
}

/** A text of at most 65,535 bytes after its length in two. */
export function lengthAndText(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new TextEncoder().encode(text);
  return concatBytes([new Uint8Array([bytes.length >> 8, bytes.length & 0xff]), bytes]);
}

function readCount(view: DataView, at: number): number {
  const count = view.getBigUint64(at);
  if (count > BigInt(Number.MAX_SAFE_INTEGER)) throw notAnEntry();
  return Number(count);
}

function readHex(bytes: Uint8Array, at: number, length: number): string {
  return toHex(bytes.subarray(at, at + length));
}

function writeHex(bytes: Uint8Array, at: number, text: string, length: number): void {
  if (text.length !== 2 * length) throw new Error(`Not ${length} bytes in hexadecimal: ${text}`);
  for (let next = 0; next < length; next += 1) {
    bytes[at + next] = Number.parseInt(text.slice(2 * next, 2 * next + 2), 16);
  }
}

function notAnEntry(): SealFault {
  return new SealFault('foreign', 'These bytes are no entry of a log');
}
