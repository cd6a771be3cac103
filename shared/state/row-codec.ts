import { SyscallError } from '../protocol/errors.ts';
import { isLongerThan } from '../protocol/frames.ts';

/**
 * How a row is stored: as JSON text, which a document takes in and gives out some fifteen times as fast as a value of
 * fields, and which is read when somebody asks for the row. One codec for every row, so that contents can be sealed
 * later (DESIGN 4). Rows of older versions are values as they are; text that is no JSON is no row.
 */
export const rowCodec = {
  encode: (row: unknown): unknown => JSON.stringify(row),
  decode: (stored: unknown): unknown => (typeof stored === 'string' ? parsed(stored) : stored),
};

/** Of one row in UTF-8. A room takes 16 MiB at once, and a row goes over whole. */
export const ROW_BYTES = 15 * 1024 * 1024;

/** A row as it is stored. Throws SyscallError 413 on one that could never reach another replica. */
export function storableRow(row: unknown): unknown {
  const stored = rowCodec.encode(row);
  if (typeof stored === 'string' && isLongerThan(stored, ROW_BYTES))
    throw new SyscallError(
      413,
      'This is too long: 15 MiB can be kept in one piece. Put it in a file instead.',
    );
  return stored;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
