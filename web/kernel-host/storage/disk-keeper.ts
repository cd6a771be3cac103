import { type Static, Type } from 'typebox';
import { PASSWORD_COST, type PasswordCost, passwordKey } from '../../../shared/kernel/auth/passwords.ts';
import type { DiskLockState } from '../../../shared/kernel/ports/disk-lock.ts';
import type { Vault } from '../../../shared/kernel/ports/vault.ts';
import { fromBase64, toBase64 } from '../../../shared/std/bytes.ts';
import { matches } from '../../../shared/std/matches.ts';
import type { Random } from '../../../shared/std/random.ts';
import { DISK_KEY_BYTES, DiskKey } from './disk-key.ts';

/** Where the browser's own vault keeps the key of the disk. */
export const DISK_KEY = 'disk/key';
const WRAPPED = 'secret disk key';

const Cost = Type.Object({ N: Type.Integer(), r: Type.Integer(), p: Type.Integer() });
const Kept = Type.Union([
  Type.Object({ by: Type.Literal('browser'), key: Type.String() }),
  Type.Object({
    by: Type.Literal('password'),
    /** Sealed by what follows from the password. */
    key: Type.String(),
    salt: Type.String(),
    cost: Cost,
    afterMinutes: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
  }),
]);
type Kept = Static<typeof Kept>;

/**
 * Keeps the key of this disk. It is wrapped by the browser's own key, and by a password as well when one is set; then
 * nobody has it before the password is given.
 */
export class DiskKeeper {
  readonly #vault: Vault;
  readonly #random: Random;
  readonly #cost: PasswordCost;
  #kept: Kept;
  #bytes: Uint8Array<ArrayBuffer> | null;

  private constructor(vault: Vault, random: Random, cost: PasswordCost, kept: Kept) {
    this.#vault = vault;
    this.#random = random;
    this.#cost = cost;
    this.#kept = kept;
    this.#bytes = kept.by === 'browser' ? fromBase64(kept.key) : null;
  }

  /** Makes a key where there is none. `vault`: the browser's own. Rejects when storage cannot be read or written. */
  static async load(vault: Vault, random: Random, cost: PasswordCost = PASSWORD_COST): Promise<DiskKeeper> {
    const stored = await vault.get(DISK_KEY);
    const kept: unknown = stored === undefined ? await newKey(vault, random) : JSON.parse(stored);
    if (!matches(Kept, kept)) throw new Error('The key of what this browser stores cannot be read');
    return new DiskKeeper(vault, random, cost, kept);
  }

  /** The key that a vault keeps by the browser's own alone; null when there is none, or a password is needed. */
  static async kept(vault: Vault): Promise<DiskKey | null> {
    const stored = await vault.get(DISK_KEY);
    const kept: unknown = stored === undefined ? null : JSON.parse(stored);
    return matches(Kept, kept) && kept.by === 'browser' ? DiskKey.of(fromBase64(kept.key)) : null;
  }

  get locked(): boolean {
    return this.#bytes === null;
  }

  get state(): DiskLockState {
    if (this.#kept.by === 'browser') return { password: false };
    return { password: true, afterMinutes: this.#kept.afterMinutes };
  }

  /** Rejects while it is locked. */
  async key(): Promise<DiskKey> {
    return DiskKey.of(this.#unlocked());
  }

  /** Whether the password was right; then it is open. Takes some 100 ms. */
  async unlock(password: string): Promise<boolean> {
    if (this.#kept.by === 'browser') return true;
    const { salt, cost, key } = this.#kept;
    const wrapping = await DiskKey.of(await passwordKey(password, fromBase64(salt), cost));
    this.#bytes = await wrapping.open(fromBase64(key), WRAPPED).catch(() => null);
    return this.#bytes !== null;
  }

  async protect(password: string, afterMinutes: number | null): Promise<void> {
    const salt = this.#random.bytes(16);
    const wrapping = await DiskKey.of(await passwordKey(password, salt, this.#cost));
    const key = toBase64(await wrapping.seal(this.#unlocked(), WRAPPED));
    await this.#keep({ by: 'password', key, salt: toBase64(salt), cost: this.#cost, afterMinutes });
  }

  async unprotect(): Promise<void> {
    await this.#keep({ by: 'browser', key: toBase64(this.#unlocked()) });
  }

  async lockAfter(minutes: number | null): Promise<void> {
    if (this.#kept.by === 'password') await this.#keep({ ...this.#kept, afterMinutes: minutes });
  }

  #unlocked(): Uint8Array<ArrayBuffer> {
    if (!this.#bytes) throw new Error('What this browser stores is locked');
    return this.#bytes;
  }

  async #keep(kept: Kept): Promise<void> {
    await this.#vault.put(DISK_KEY, JSON.stringify(kept));
    this.#kept = kept;
  }
}

async function newKey(vault: Vault, random: Random): Promise<Kept> {
  const kept: Kept = { by: 'browser', key: toBase64(random.bytes(DISK_KEY_BYTES)) };
  await vault.put(DISK_KEY, JSON.stringify(kept));
  return kept;
}
