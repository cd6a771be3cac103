import type { Clock } from '../../std/clock.ts';
import { documentWords } from '../seal/document-words.ts';
import { type FaultKind, faultWords } from '../seal/fault.ts';

/** What the server handed out and was not taken, for a person. */
export type FaultRecord = { document: string; words: string; at: number };

/** What the room last handed out of each document that it should not have; until all is well with that again. */
export class Faults {
  readonly #clock: Clock;
  readonly #faults = new Map<string, { kind: FaultKind; at: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  note(name: string, kind: FaultKind): void {
    this.#faults.set(name, { kind, at: this.#clock.now() });
  }

  clear(name: string): void {
    this.#faults.delete(name);
  }

  list(): FaultRecord[] {
    return Array.from(this.#faults, ([name, { kind, at }]) => {
      const document = documentWords(name);
      return { document, words: faultWords(kind, document), at };
    });
  }
}
