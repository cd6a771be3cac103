import type { FileHandle } from 'node:fs/promises';
import { OperationFailure } from './operation.ts';

const CHUNK_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

/** The bytes of the lines asked for; `ended` tells that the file ended within or before them. */
export type LineRange = { bytes: Buffer; linesSeen: number; ended: boolean };

/**
 * Reads `limit` lines from line `offset` (from 0) of a file of any size without holding more of it than
 * those lines. Rejects with OperationFailure when they are more than `most` bytes.
 */
export async function readLineRange(
  file: FileHandle,
  offset: number,
  limit: number,
  most: number,
): Promise<LineRange> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  const kept: Buffer[] = [];
  let keptBytes = 0;
  let line = 0;
  let endsInLine = false;
  for (let position = 0; ; ) {
    const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, position);
    if (bytesRead === 0)
      return { bytes: Buffer.concat(kept), linesSeen: line + (endsInLine ? 1 : 0), ended: true };
    position += bytesRead;
    const found = cut(chunk.subarray(0, bytesRead), line, offset, offset + limit);
    keptBytes += found.to - found.from;
    if (keptBytes > most)
      throw new OperationFailure(`Those lines are more than ${most} bytes: ask for fewer`);
    if (found.to > found.from) kept.push(Buffer.from(chunk.subarray(found.from, found.to)));
    line = found.line;
    if (line >= offset + limit) return { bytes: Buffer.concat(kept), linesSeen: line, ended: false };
    endsInLine = chunk[bytesRead - 1] !== NEWLINE;
  }
}

/** Which bytes of a chunk that starts within line `line` belong to lines `first` to `end`. */
function cut(
  chunk: Buffer,
  line: number,
  first: number,
  end: number,
): { from: number; to: number; line: number } {
  let from = line >= first ? 0 : chunk.length;
  let current = line;
  for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) {
    current += 1;
    if (current === first) from = at + 1;
    if (current === end) return { from, to: at + 1, line: current };
  }
  return { from, to: chunk.length, line: current };
}
