import { sha256 } from '@noble/hashes/sha2.js';
import { toHex } from './bytes.ts';

/**
 * An id derived from what caused it: the same namespace and cause give the same id everywhere, so that one cause that
 * two replicas act on is one run. A version 8 UUID of SHA-256. Causes by namespace:
 * `run` the id of the message that begins it; `tick` `<schedule id>/<due time in ms>`; `webhook` `<adapter>/<the
 * room's inbox id>`; `ipc` `<call id>`; and for what has more than one part, the parts joined by a slash.
 */
export function causeId(namespace: string, cause: string): string {
  const bytes = sha256(new TextEncoder().encode(`${namespace.length}:${namespace}${cause}`)).subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = toHex(bytes);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
