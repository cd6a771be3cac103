import { SyscallError } from '../../shared/protocol/errors.ts';
import { equalsConstantTime } from '../../shared/std/bytes.ts';
import type { Admission } from './admission.ts';
import type { RoomStorage } from './storage.ts';

const CLAIMED = 'claim/claimed';
const CLAIMANT = 'claim/claimant';

export type ClaimParts = {
  storage: RoomStorage;
  /** What the host was given; an empty one claims nothing. */
  secret: string;
  /** Removes everything that an earlier claimant left. */
  forget(): Promise<void>;
};

/**
 * Who may take an unclaimed room. Invariants:
 * 1. The secret opens the room only until a claimant's system document holds a live token for that claimant.
 * 2. One claimant at a time; what another claimant left unfinished is not mixed with the next one's.
 */
export class Claim {
  readonly #parts: ClaimParts;
  #claimed: boolean;
  #claimant: string | null;
  #current: { replicaId: string } | null = null;

  private constructor(parts: ClaimParts, claimed: boolean, claimant: string | null) {
    this.#parts = parts;
    this.#claimed = claimed;
    this.#claimant = claimant;
  }

  static async load(parts: ClaimParts): Promise<Claim> {
    const claimed = (await parts.storage.get(CLAIMED)) === true;
    const claimant = await parts.storage.get(CLAIMANT);
    return new Claim(parts, claimed, typeof claimant === 'string' ? claimant : null);
  }

  get claimed(): boolean {
    return this.#claimed;
  }

  /** The replica that began to claim, also across restarts; once claimed, the founder. */
  get claimant(): string | null {
    return this.#claimant;
  }

  /** Throws 401 when the secret does not open the room, 409 while another replica is claiming it. */
  admit(secret: string, replicaId: string): Admission {
    const matches = this.#parts.secret !== '' && equalsConstantTime(secret, this.#parts.secret);
    if (!matches) throw new SyscallError(401, 'The claim secret is not valid');
    this.#check(replicaId);
    const own = { replicaId };
    return {
      tokenWithinMs: null,
      begin: () => this.#begin(own),
      complete: () => this.complete(),
      end: () => {
        if (this.#current === own) this.#current = null;
      },
    };
  }

  async complete(): Promise<void> {
    await this.#parts.storage.put(CLAIMED, true);
    this.#claimed = true;
  }

  #check(replicaId: string): void {
    if (this.#claimed) throw new SyscallError(401, 'This server has been claimed; its claim link is used up');
    if (this.#current !== null && this.#current.replicaId !== replicaId) {
      throw new SyscallError(409, 'Another browser is claiming this server', { retryable: true });
    }
  }

  async #begin(own: { replicaId: string }): Promise<void> {
    this.#check(own.replicaId);
    this.#current = own;
    if (this.#claimant === own.replicaId) return;
    if (this.#claimant !== null) await this.#parts.forget();
    await this.#parts.storage.put(CLAIMANT, own.replicaId);
    this.#claimant = own.replicaId;
  }
}
