import { hashInto } from './dice.ts';

const TAIL = 60;

/** What happened, as a hash of all of it and the last lines in words. */
export class Trace {
  readonly #tail: string[] = [];
  readonly #keep: number;
  #hash = 0x811c9dc5;
  #events = 0;

  /** `keep`: how many lines are remembered. */
  constructor(keep = TAIL) {
    this.#keep = keep;
  }

  get events(): number {
    return this.#events;
  }

  get hash(): string {
    return `${this.#events}:${(this.#hash >>> 0).toString(16)}`;
  }

  get tail(): readonly string[] {
    return this.#tail.slice(-this.#keep);
  }

  add(line: string): void {
    this.#events += 1;
    this.#hash = hashInto(this.#hash, line);
    this.#tail.push(line);
    if (this.#tail.length > this.#keep * 2) this.#tail.splice(0, this.#keep);
  }
}
