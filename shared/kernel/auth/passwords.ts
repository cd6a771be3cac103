import { scryptAsync } from '@noble/hashes/scrypt.js';
import { equalsConstantTime, fromBase64, toBase64 } from '../../std/bytes.ts';
import type { Random } from '../../std/random.ts';

/** scrypt cost: 2^15 × 8 × 128 bytes = 32 MiB per guess. */
const COST = { N: 2 ** 15, r: 8, p: 1, dkLen: 32 } as const;

/** A memory-hard hash of a password: `scrypt$N$r$p$<salt>$<key>`, both in base64. Takes some 100 ms. */
export async function hashPassword(password: string, random: Random): Promise<string> {
  const salt = random.bytes(16);
  const key = await scryptAsync(new TextEncoder().encode(password.normalize('NFKC')), salt, COST);
  return ['scrypt', COST.N, COST.r, COST.p, toBase64(salt), toBase64(key)].join('$');
}

/** Whether the password made this hash. A hash of unknown form matches nothing. */
export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  const [scheme, n, r, p, salt, key] = hash.split('$');
  if (scheme !== 'scrypt' || !salt || !key) return false;
  const cost = { N: Number(n), r: Number(r), p: Number(p), dkLen: 32 };
  const guess = await scryptAsync(
    new TextEncoder().encode(password.normalize('NFKC')),
    fromBase64(salt),
    cost,
  );
  return equalsConstantTime(toBase64(guess), key);
}
