import type { Random } from '../../shared/std/random.ts';

const FIRST_MS = 500;
const LONGEST_MS = 30_000;
/** A connection that lasted this long was a good one: the next attempt is soon again. */
const GOOD_MS = 10_000;

/** How long to wait before the next attempt: doubling from half a second to 30 s, scattered by up to a half. */
export class BackOff {
  readonly #random: Random;
  #next = FIRST_MS;

  constructor(random: Random) {
    this.#random = random;
  }

  /** The pause after an attempt that failed, or a connection that lasted `lastedMs`. */
  pause(lastedMs = 0): number {
    if (lastedMs >= GOOD_MS) this.#next = FIRST_MS;
    const full = this.#next;
    this.#next = Math.min(LONGEST_MS, full * 2);
    const [share = 0] = this.#random.bytes(1);
    return full * (0.5 + share / 512);
  }

  /** The pause after a refusal that only a person can change. */
  longPause(): number {
    this.#next = LONGEST_MS;
    return LONGEST_MS;
  }
}
