import type { Clock } from '../../std/clock.ts';
import { documentWords } from '../seal/document-words.ts';
import { type FaultKind, faultWords } from '../seal/fault.ts';

/** What the server handed out and was not taken, for a person. */
export type FaultRecord = {
  /** Of the document; empty for contents of files. */
  name: string;
  document: string;
  words: string;
  at: number;
};

/** What was wrong with a document for a while. */
export type HealedFault = { name: string; kind: FaultKind; at: number };

/** What the room last handed out of each document that it should not have; until all is well with that again. */
export class Faults {
  readonly #clock: Clock;
  readonly #listeners = new Set<(fault: HealedFault) => void>();
  readonly #faults = new Map<string, { kind: FaultKind; at: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  note(name: string, kind: FaultKind): void {
    this.#faults.set(name, { kind, at: this.#clock.now() });
  }

  /** All is well with a document, or it is no more. */
  clear(name: string): void {
    const fault = this.#faults.get(name);
    if (!this.#faults.delete(name) || !fault) return;
    for (const listener of this.#listeners) listener({ name, ...fault });
  }

  /** `listener` is told of what was wrong once it is not any more. The returned function ends it. Must not throw. */
  onHealed(listener: (fault: HealedFault) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  list(): FaultRecord[] {
    return Array.from(this.#faults, ([name, { kind, at }]) => {
      const document = documentWords(name);
      return { name, document, words: faultWords(kind, document), at };
    });
  }
}
