import { SyscallError } from '../../shared/protocol/errors.ts';
import type { InviteRow } from '../../shared/state/control.ts';
import type { Admission } from './admission.ts';
import type { RoomStorage } from './storage.ts';

const PREFIX = 'invite/';
/** A newcomer that has put no token of its own into the document by then is shut out. */
export const INVITED_TOKEN_MS = 60_000;

/**
 * Invitations are rows of the control document; here is kept which replica has used one, so that no other can. Words of
 * a recovery phrase are no link that lies about: they may be used again.
 */
export class Invites {
  readonly #storage: RoomStorage;
  readonly #usedBy: Map<string, string>;

  private constructor(storage: RoomStorage, usedBy: Map<string, string>) {
    this.#storage = storage;
    this.#usedBy = usedBy;
  }

  static async load(storage: RoomStorage): Promise<Invites> {
    const usedBy = new Map<string, string>();
    for (const [key, replicaId] of await storage.list(PREFIX)) {
      if (typeof replicaId === 'string') usedBy.set(key.slice(PREFIX.length), replicaId);
    }
    return new Invites(storage, usedBy);
  }

  /** Throws 401 when the invitation is over at `now`, or another replica has used it. */
  admit({ inviteId, expiresAt, kind }: InviteRow, replicaId: string, now: number): Admission {
    if (expiresAt !== null && expiresAt <= now)
      throw new SyscallError(401, 'This invitation has run out; make a new one on a browser that is in');
    const isOnce = kind !== 'recovery';
    if (isOnce) this.#check(inviteId, replicaId);
    return {
      tokenWithinMs: INVITED_TOKEN_MS,
      begin: async () => {
        if (isOnce) await this.#use(inviteId, replicaId);
      },
      complete: async () => {},
      end: () => {},
    };
  }

  #check(inviteId: string, replicaId: string): void {
    const user = this.#usedBy.get(inviteId);
    if (user !== undefined && user !== replicaId)
      throw new SyscallError(401, 'This invitation has been used; make a new one on a browser that is in');
  }

  /** It is this replica's from this instant on, also while that is being written. */
  async #use(inviteId: string, replicaId: string): Promise<void> {
    this.#check(inviteId, replicaId);
    const known = this.#usedBy.has(inviteId);
    this.#usedBy.set(inviteId, replicaId);
    try {
      await this.#storage.put(PREFIX + inviteId, replicaId);
    } catch (thrown) {
      if (!known) this.#usedBy.delete(inviteId);
      throw thrown;
    }
  }
}
