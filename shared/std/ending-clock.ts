import type { Clock } from './clock.ts';

/** A clock whose timers end with what set them: after `end` none of them runs, nor any that is set later. */
export class EndingClock implements Clock {
  readonly #clock: Clock;
  readonly #waiting = new Set<() => void>();
  #over = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now();
  }

  after(ms: number, run: () => void): () => void {
    if (this.#over) return () => {};
    const cancel = this.#clock.after(ms, () => {
      this.#waiting.delete(stop);
      run();
    });
    const stop = (): void => {
      this.#waiting.delete(stop);
      cancel();
    };
    this.#waiting.add(stop);
    return stop;
  }

  end(): void {
    this.#over = true;
    for (const stop of [...this.#waiting]) stop();
  }
}
