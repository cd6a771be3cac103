import { sha256 } from '@noble/hashes/sha2.js';
import { toHex } from '../../std/bytes.ts';

export const INO_BYTES = 8;
const encoder = new TextEncoder();

/** The inode of what follows from a cause: every replica that makes it gives it the same. */
export function causedIno(...cause: readonly unknown[]): string {
  return toHex(sha256(encoder.encode(JSON.stringify(cause))).subarray(0, INO_BYTES));
}
