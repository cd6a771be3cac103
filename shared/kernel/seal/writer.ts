import { sha256 } from '@noble/hashes/sha2.js';
import { toHex } from '../../std/bytes.ts';
import { WRITER_BYTES } from './entry.ts';

/**
 * A replica as entries name it: the first 16 bytes of SHA-256 of its id, in hexadecimal. Not the number that the room
 * gives it: a room that gives two replicas one number would make them contradict each other.
 */
export function writerOf(replicaId: string): string {
  return toHex(sha256(new TextEncoder().encode(replicaId)).subarray(0, WRITER_BYTES));
}
