import { SyscallError } from '../../shared/protocol/errors.ts';
import { equalsConstantTime } from '../../shared/std/bytes.ts';
import type { RoomStorage } from './storage.ts';

const CLAIMED = 'claim/claimed';
const CLAIMANT = 'claim/claimant';

/**
 * Who may take an unclaimed room. Invariants:
 * 1. The secret opens the room only until a claimant's system document holds a live token for that claimant.
 * 2. One claimant at a time; what another claimant left unfinished is not mixed with the next one's.
 */
export class Claim {
  readonly #storage: RoomStorage;
  readonly #secret: string;
  #claimed: boolean;
  #claimant: string | null;
  #connected: string | null = null;

  private constructor(storage: RoomStorage, secret: string, claimed: boolean, claimant: string | null) {
    this.#storage = storage;
    this.#secret = secret;
    this.#claimed = claimed;
    this.#claimant = claimant;
  }

  /** `secret` is what the host was given; an empty one claims nothing. */
  static async load(storage: RoomStorage, secret: string): Promise<Claim> {
    const claimed = (await storage.get(CLAIMED)) === true;
    const claimant = await storage.get(CLAIMANT);
    return new Claim(storage, secret, claimed, typeof claimant === 'string' ? claimant : null);
  }

  get claimed(): boolean {
    return this.#claimed;
  }

  /** The replica that began to claim, also across restarts. */
  get claimant(): string | null {
    return this.#claimant;
  }

  /** Throws 401 when the secret does not open the room, 409 while another replica is claiming it. */
  check(secret: string, replicaId: string): void {
    const matches = this.#secret !== '' && equalsConstantTime(secret, this.#secret);
    if (!matches) throw new SyscallError(401, 'The claim secret is not valid');
    if (this.#claimed) throw new SyscallError(401, 'This server has been claimed; its claim link is used up');
    if (this.#connected !== null && this.#connected !== replicaId) {
      throw new SyscallError(409, 'Another browser is claiming this server', { retryable: true });
    }
  }

  /** A replica with the secret is connected. `forget` removes what an earlier claimant left. */
  async begin(replicaId: string, forget: () => Promise<void>): Promise<void> {
    this.#connected = replicaId;
    if (this.#claimant === replicaId) return;
    if (this.#claimant !== null) await forget();
    await this.#storage.put(CLAIMANT, replicaId);
    this.#claimant = replicaId;
  }

  /** The claiming replica is gone. */
  end(replicaId: string): void {
    if (this.#connected === replicaId) this.#connected = null;
  }

  async complete(): Promise<void> {
    await this.#storage.put(CLAIMED, true);
    this.#claimed = true;
  }
}
