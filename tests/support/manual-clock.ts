import type { Clock } from '../../shared/std/clock.ts';
import { turns } from './turns.ts';

/** A message and its answer take a turn of the event loop each, and what they set off a few more. */
const TURNS = 4;

/** A clock that a test moves by hand, in whole milliseconds. */
export class ManualClock implements Clock {
  #now = 0;
  #timers: { at: number; run: () => void }[] = [];

  /** Whole milliseconds, as every clock shows them, whenever a timer was due. */
  now(): number {
    return Math.floor(this.#now);
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.#now + Math.ceil(ms), run };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** Somebody sets the clock; timers count on as if nothing had happened. */
  jump(ms: number): void {
    this.#now += ms;
    for (const timer of this.#timers) timer.at += ms;
  }

  /** How long until each timer that is set, soonest first. */
  get waiting(): number[] {
    return this.#timers.map(({ at }) => at - this.#now).sort((a, b) => a - b);
  }

  /** Moves on, running what is due in order and once everything before is over. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await turns(TURNS);
    for (;;) {
      const [next] = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (!next) break;
      this.#timers = this.#timers.filter((other) => other !== next);
      this.#now = next.at;
      next.run();
      await turns(TURNS);
    }
    this.#now = end;
  }
}
