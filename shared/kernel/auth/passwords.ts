import { scryptAsync } from '@noble/hashes/scrypt.js';
import { equalsConstantTime, fromBase64, toBase64 } from '../../std/bytes.ts';
import type { Random } from '../../std/random.ts';
import type { Vault } from '../ports/vault.ts';

/** Of scrypt: a guess takes N × r × 128 bytes of memory. */
export type PasswordCost = { N: number; r: number; p: number };
/** 32 MiB for each guess, and some 100 ms. */
export const PASSWORD_COST: PasswordCost = { N: 2 ** 15, r: 8, p: 1 };
const KEY_BYTES = 32;

export type PasswordsParts = { vault: Vault; random: Random; cost?: PasswordCost | undefined };

/** The passwords of this GSV's users, of which the vault has hashes alone. Methods reject when storage does. */
export class Passwords {
  readonly #parts: PasswordsParts;

  constructor(parts: PasswordsParts) {
    this.#parts = parts;
  }

  async put(uid: number, password: string): Promise<void> {
    const { vault, random, cost } = this.#parts;
    await vault.put(nameOf(uid), await hashPassword(password, random, cost));
  }

  /** False, too, for a user who has none. */
  async fits(uid: number, password: string): Promise<boolean> {
    const hash = await this.#parts.vault.get(nameOf(uid));
    return hash !== undefined && verifyPassword(password, hash);
  }

  async delete(uid: number): Promise<void> {
    await this.#parts.vault.delete(nameOf(uid));
  }
}

function nameOf(uid: number): string {
  return `password:${uid}`;
}

/** 32 bytes that follow from a password, slowly. */
export function passwordKey(
  password: string,
  salt: Uint8Array,
  cost: PasswordCost,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new TextEncoder().encode(password.normalize('NFKC'));
  return scryptAsync(bytes, salt, { ...cost, dkLen: KEY_BYTES }) as Promise<Uint8Array<ArrayBuffer>>;
}

/** A memory-hard hash of a password: `scrypt$N$r$p$<salt>$<key>`, both in base64. */
export async function hashPassword(
  password: string,
  random: Random,
  cost: PasswordCost = PASSWORD_COST,
): Promise<string> {
  const salt = random.bytes(16);
  const key = await passwordKey(password, salt, cost);
  return ['scrypt', cost.N, cost.r, cost.p, toBase64(salt), toBase64(key)].join('$');
}

/** Whether the password made this hash. A hash of unknown form matches nothing. */
export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  const [scheme, n, r, p, salt, key] = hash.split('$');
  if (scheme !== 'scrypt' || !salt || !key) return false;
  const cost = { N: Number(n), r: Number(r), p: Number(p) };
  const guess = await passwordKey(password, fromBase64(salt), cost);
  return equalsConstantTime(toBase64(guess), key);
}
