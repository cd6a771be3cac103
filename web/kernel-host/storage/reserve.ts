import type { Clock } from '../../../shared/std/clock.ts';
import type { Random } from '../../../shared/std/random.ts';
import type { Database } from './database.ts';

/** More than all that waits to be written beside a removal. A piece this long is a file of its own: gone, it makes room at once. */
const BYTES = 1024 * 1024;
/** After it was spent, what was removed is gone by then; on a disk that is still full it is tried again. */
const REFILL_MS = 5_000;
const RETRY_MS = 60_000;
const NAME = 'reserve';

/** Space that is taken before the disk is full, and given free for what makes room: to remove is to write, too. */
export class Reserve {
  readonly #database: Database;
  readonly #random: Random;
  readonly #clock: Clock;
  #cancel: (() => void) | null = null;
  #closed = false;

  constructor(database: Database, random: Random, clock: Clock) {
    this.#database = database;
    this.#random = random;
    this.#clock = clock;
  }

  /** Sees to it that there is one, a little later and until there is room for it. */
  keep(afterMs = REFILL_MS): void {
    this.#cancel?.();
    if (!this.#closed) this.#cancel = this.#clock.after(afterMs, () => void this.#take());
  }

  /** Gives it free. Resolves with whether there was one. */
  async spend(): Promise<boolean> {
    const { reserve } = this.#database;
    const there = (await reserve.count()) > 0;
    await reserve.clear();
    this.keep();
    return there;
  }

  close(): void {
    this.#closed = true;
    this.#cancel?.();
  }

  async #take(): Promise<void> {
    this.#cancel = null;
    const { reserve } = this.#database;
    try {
      // Noise, since what could be compressed would take less.
      if ((await reserve.count()) === 0) await reserve.add({ name: NAME, bytes: this.#random.bytes(BYTES) });
    } catch {
      this.keep(RETRY_MS);
    }
  }
}
