import type { Clock } from '../../std/clock.ts';
import type { ModelDelta } from '../ports/models.ts';

/** Deltas of one generation are sent at most this often. */
const BATCH_MS = 40;

type TextDelta = Extract<ModelDelta, { delta: string }>;

/** Joins deltas of the same block that arrive close together, so that streaming costs few frames. */
export class StreamBatch {
  readonly #clock: Clock;
  readonly #emit: (delta: ModelDelta) => void;
  #waiting: TextDelta | null = null;
  #cancel: (() => void) | null = null;

  constructor(clock: Clock, emit: (delta: ModelDelta) => void) {
    this.#clock = clock;
    this.#emit = emit;
  }

  push(delta: ModelDelta): void {
    const waiting = this.#waiting;
    if (!('delta' in delta)) {
      this.flush();
      this.#emit(delta);
      return;
    }
    if (waiting && waiting.type === delta.type && waiting.contentIndex === delta.contentIndex) {
      this.#waiting = { ...waiting, delta: waiting.delta + delta.delta };
      return;
    }
    this.flush();
    this.#waiting = delta;
    this.#cancel = this.#clock.after(BATCH_MS, () => this.flush());
  }

  flush(): void {
    this.#cancel?.();
    this.#cancel = null;
    const waiting = this.#waiting;
    this.#waiting = null;
    if (waiting) this.#emit(waiting);
  }
}
