type Timer = { at: number; order: number; run: (() => void) | null };

/** A day of the simulation: 2027, so that times look like times. */
const BEGINNING = 1_800_000_000_000;

/** The time that passes everywhere at once. Clocks differ from it; timers do not. */
export class Timeline {
  #now = BEGINNING;
  #order = 0;
  readonly #heap: Timer[] = [];

  get now(): number {
    return this.#now;
  }

  /** When the next timer is due; undefined when none is set. */
  get next(): number | undefined {
    this.#dropCancelled();
    return this.#heap[0]?.at;
  }

  /** Timers of one instant run in the order in which they were set. The returned function cancels. */
  after(ms: number, run: () => void): () => void {
    this.#order += 1;
    const timer: Timer = { at: this.#now + Math.ceil(Math.max(0, ms)), order: this.#order, run };
    this.#push(timer);
    return () => {
      timer.run = null;
    };
  }

  /** Moves on to the next timer and runs it. */
  step(): void {
    this.#dropCancelled();
    const timer = this.#pop();
    if (!timer) return;
    this.#now = Math.max(this.#now, timer.at);
    timer.run?.();
  }

  /** Moves on without running anything. */
  passTo(time: number): void {
    this.#now = Math.max(this.#now, time);
  }

  #dropCancelled(): void {
    while (this.#heap[0]?.run === null) this.#pop();
  }

  #push(timer: Timer): void {
    const heap = this.#heap;
    let at = heap.push(timer) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent];
      if (!above || !isBefore(timer, above)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = timer;
  }

  #pop(): Timer | undefined {
    const heap = this.#heap;
    const [first] = heap;
    const last = heap.pop();
    if (last && heap.length > 0) this.#sink(last);
    return first;
  }

  #sink(timer: Timer): void {
    const heap = this.#heap;
    let at = 0;
    for (;;) {
      let child = at * 2 + 1;
      const [left, right] = [heap[child], heap[child + 1]];
      if (!left) break;
      if (right && isBefore(right, left)) child += 1;
      const least = heap[child];
      if (!least || !isBefore(least, timer)) break;
      heap[at] = least;
      at = child;
    }
    heap[at] = timer;
  }
}

function isBefore(one: Timer, other: Timer): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}
