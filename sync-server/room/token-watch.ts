import type { Peer } from '../../shared/protocol/peer.ts';
import type { Clock } from '../../shared/std/clock.ts';
import { CLOSE } from './connection.ts';
import type { TokenState } from './control.ts';

/** Expiry is looked at this often; a revocation arrives with the document and takes effect at once. */
const CHECK_MS = 500;

/** Closes connections whose token is revoked or expired, within a second. */
export class TokenWatch {
  readonly #clock: Clock;
  readonly #state: (tokenId: string) => TokenState;
  readonly #peers = new Map<Peer, string>();
  #cancel: (() => void) | null = null;

  constructor(clock: Clock, state: (tokenId: string) => TokenState) {
    this.#clock = clock;
    this.#state = state;
  }

  watch(tokenId: string, peer: Peer): void {
    this.#peers.set(peer, tokenId);
    this.check();
    this.#schedule();
  }

  forget(peer: Peer): void {
    this.#peers.delete(peer);
    if (this.#peers.size > 0) return;
    this.#cancel?.();
    this.#cancel = null;
  }

  check(): void {
    for (const [peer, tokenId] of [...this.#peers]) {
      const state = this.#state(tokenId);
      if (state !== 'live') peer.close(CLOSE.tokenEnded, `token ${state}`);
    }
  }

  #schedule(): void {
    if (this.#cancel || this.#peers.size === 0) return;
    this.#cancel = this.#clock.after(CHECK_MS, () => {
      this.#cancel = null;
      this.check();
      this.#schedule();
    });
  }
}
