import type { Peer } from '../../shared/protocol/peer.ts';
import type { TokenRow } from '../../shared/state/control.ts';
import type { Clock } from '../../shared/std/clock.ts';
import { CLOSE } from './connection.ts';
import { tokenState } from './control.ts';

/** Tokens that expire are looked at this often; a revocation arrives with the document and takes effect at once. */
const CHECK_MS = 500;

/** Closes connections whose token is revoked or expired, within a second. */
export class TokenWatch {
  readonly #clock: Clock;
  readonly #token: (tokenId: string) => TokenRow | undefined;
  readonly #peers = new Map<Peer, string>();
  #cancel: (() => void) | null = null;

  constructor(clock: Clock, token: (tokenId: string) => TokenRow | undefined) {
    this.#clock = clock;
    this.#token = token;
  }

  watch(tokenId: string, peer: Peer): void {
    this.#peers.set(peer, tokenId);
    this.check();
  }

  forget(peer: Peer): void {
    this.#peers.delete(peer);
  }

  /** The tokens may have changed, or time has gone by. */
  check(): void {
    for (const [peer, tokenId] of [...this.#peers]) {
      const state = tokenState(this.#token(tokenId), this.#clock.now());
      if (state !== 'live') peer.close(CLOSE.tokenEnded, `token ${state}`);
    }
    this.#schedule();
  }

  /** Most tokens never expire: then nothing has to be looked at by the clock. */
  #schedule(): void {
    this.#cancel?.();
    const expiring = [...this.#peers.values()].some((tokenId) => this.#token(tokenId)?.expiresAt != null);
    this.#cancel = expiring ? this.#clock.after(CHECK_MS, () => this.check()) : null;
  }
}
