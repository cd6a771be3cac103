import { concatBytes } from '../../std/bytes.ts';
import { damaged } from './damaged.ts';

/** One line of a rows file: a row of a table by its key. */
export type Row = { key: string; value: unknown };

/** Text that is gathered before it is encoded, in code units. */
const CHUNK = 256 * 1024;
/** A row is a message with its pictures at most. Bytes. */
const LONGEST_LINE = 64 * 1024 * 1024;
const LONGEST_KEY = 1024;
const DEEPEST = 128;
const NEWLINE = 0x0a;

/** The lines of rows, in pieces of some size. */
export function* encodeRows(rows: Iterable<Row>): Generator<Uint8Array> {
  let text = '';
  for (const { key, value } of rows) {
    text += `${JSON.stringify({ key, value })}\n`;
    if (text.length < CHUNK) continue;
    yield new TextEncoder().encode(text);
    text = '';
  }
  if (text !== '') yield new TextEncoder().encode(text);
}

/** Rejects with SyscallError 400 on what `encodeRows` does not write. */
export async function* decodeRows(bytes: AsyncIterable<Uint8Array>, file: string): AsyncGenerator<Row> {
  let begun: Uint8Array[] = [];
  for await (const piece of bytes) {
    let from = 0;
    for (let to = piece.indexOf(NEWLINE); to >= 0; to = piece.indexOf(NEWLINE, from)) {
      yield decodeRow([...begun, piece.subarray(from, to)], file);
      begun = [];
      from = to + 1;
    }
    if (from < piece.length) begun.push(piece.slice(from));
    if (lengthOf(begun) > LONGEST_LINE) throw damaged(`a row in ${file} is too long`);
  }
  if (begun.length > 0) throw damaged(`${file} ends in the middle of a row`);
}

function decodeRow(parts: Uint8Array[], file: string): Row {
  const row = parse(parts, file);
  const { key, value, ...more } = typeof row === 'object' && row !== null ? (row as Partial<Row>) : {};
  const isRow = typeof key === 'string' && value !== undefined && Object.keys(more).length === 0;
  if (!isRow || key.length > LONGEST_KEY) throw damaged(`${file} holds a line that is no row`);
  if (!isPlain(value, DEEPEST)) throw damaged(`a row in ${file} is nested too deeply`);
  return { key, value };
}

function parse(parts: Uint8Array[], file: string): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(concatBytes(parts)));
  } catch {
    throw damaged(`${file} holds a line that is not JSON`);
  }
}

/** `__proto__` would not come back from a stored document as the field that it is here. */
function isPlain(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (depth === 0 || Object.hasOwn(value, '__proto__')) return false;
  return Object.values(value).every((inner) => isPlain(inner, depth - 1));
}

function lengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((total, part) => total + part.length, 0);
}
