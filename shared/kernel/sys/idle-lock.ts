import type { Clock } from '../../std/clock.ts';
import type { DiskLock } from '../ports/disk-lock.ts';

/** Timers stand still while a machine sleeps, so it is looked at the clock again and again. */
const LOOK_MS = 15_000;
const MINUTE_MS = 60_000;

/** Locks what this host stores when nobody has been at it for as long as its person chose. */
export class IdleLock {
  readonly #lock: DiskLock;
  readonly #clock: Clock;
  #usedAt: number;
  #cancel: (() => void) | null = null;

  constructor(lock: DiskLock, clock: Clock) {
    this.#lock = lock;
    this.#clock = clock;
    this.#usedAt = clock.now();
  }

  start(): void {
    this.#cancel = this.#clock.after(LOOK_MS, () => {
      this.start();
      if (this.#isOver()) void this.#lock.lock();
    });
  }

  stop(): void {
    this.#cancel?.();
  }

  /** Somebody is at it. */
  used(): void {
    this.#usedAt = this.#clock.now();
  }

  #isOver(): boolean {
    const { state } = this.#lock;
    if (!state.password || state.afterMinutes === null) return false;
    return this.#clock.now() - this.#usedAt >= state.afterMinutes * MINUTE_MS;
  }
}
