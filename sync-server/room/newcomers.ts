import { messageOf } from '../../shared/protocol/errors.ts';
import type { Peer } from '../../shared/protocol/peer.ts';
import type { TokenRow } from '../../shared/state/control.ts';
import type { Clock } from '../../shared/std/clock.ts';
import type { Admission } from './admission.ts';
import { CLOSE } from './connection.ts';
import type { KernelSession } from './session.ts';

export type NewcomersParts = {
  clock: Clock;
  /** The live token of a replica that the system document holds. */
  token(replicaId: string): TokenRow | undefined;
  /** From now on the session stands on its token, and falls with it. */
  adopted(tokenId: string, peer: Peer): void;
};

type Newcomer = { session: KernelSession; peer: Peer; admission: Admission; cancel: () => void };

/** Sessions that were let in without a token, until the system document holds one of theirs. */
export class Newcomers {
  readonly #parts: NewcomersParts;
  readonly #waiting = new Map<Peer, Newcomer>();

  constructor(parts: NewcomersParts) {
    this.#parts = parts;
  }

  /** Rejects as the admission does; then nobody has been let in. */
  async admit(session: KernelSession, admission: Admission, peer: Peer): Promise<void> {
    try {
      await admission.begin();
    } catch (thrown) {
      admission.end();
      throw thrown;
    }
    if (peer.closed) return admission.end();
    this.#waiting.set(peer, { session, peer, admission, cancel: this.#limit(admission, peer) });
    await this.settle();
  }

  /** The system document has changed. Never rejects: what could not be noted is tried at the next change. */
  async settle(): Promise<void> {
    for (const newcomer of [...this.#waiting.values()]) {
      const token = this.#parts.token(newcomer.session.replicaId);
      if (token) await this.#adopt(newcomer, token.tokenId);
    }
  }

  left(peer: Peer): void {
    const newcomer = this.#waiting.get(peer);
    this.#waiting.delete(peer);
    newcomer?.cancel();
    newcomer?.admission.end();
  }

  async #adopt({ session, peer, admission }: Newcomer, tokenId: string): Promise<void> {
    try {
      await admission.complete();
    } catch (thrown) {
      console.error(`room: that a browser has come in could not be noted: ${messageOf(thrown)}`);
      return;
    }
    if (!this.#waiting.has(peer)) return;
    this.left(peer);
    session.tokenId = tokenId;
    this.#parts.adopted(tokenId, peer);
  }

  #limit({ tokenWithinMs }: Admission, peer: Peer): () => void {
    if (tokenWithinMs === null) return () => {};
    return this.#parts.clock.after(tokenWithinMs, () =>
      peer.close(CLOSE.signInTimeout, `no token of its own within ${tokenWithinMs / 1000} s`),
    );
  }
}
