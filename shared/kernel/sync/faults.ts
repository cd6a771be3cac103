import type { Clock } from '../../std/clock.ts';
import { CONTENTS, documentWords } from '../seal/document-words.ts';
import { type FaultKind, faultWords } from '../seal/fault.ts';

/** What the server handed out and was not taken, for a person. */
export type FaultRecord = {
  /** Of the document, or CONTENTS. */
  name: string;
  document: string;
  words: string;
  at: number;
};

/** What was wrong with a document, or contents, for a while. */
export type HealedFault = { name: string; kind: FaultKind; at: number };

/** What the room last did with each thing that it should not have, until all is well with that again. */
export class Faults {
  readonly #clock: Clock;
  readonly #nameOf: (key: string) => string;
  readonly #listeners = new Set<(fault: HealedFault) => void>();
  readonly #faults = new Map<string, { kind: FaultKind; at: number }>();

  private constructor(clock: Clock, nameOf: (key: string) => string) {
    this.#clock = clock;
    this.#nameOf = nameOf;
  }

  /** By their names. */
  static ofDocuments(clock: Clock): Faults {
    return new Faults(clock, (name) => name);
  }

  /** By their hashes. */
  static ofContents(clock: Clock): Faults {
    return new Faults(clock, () => CONTENTS);
  }

  note(key: string, kind: FaultKind): void {
    this.#faults.set(key, { kind, at: this.#clock.now() });
  }

  /** All is well with it, or it is no more. */
  clear(key: string): void {
    const fault = this.#faults.get(key);
    if (!this.#faults.delete(key) || !fault) return;
    for (const listener of this.#listeners) listener({ name: this.#nameOf(key), ...fault });
  }

  /** `listener` is told of what was wrong once it is not any more. The returned function ends it. Must not throw. */
  onHealed(listener: (fault: HealedFault) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Whatever is said in the same words is said once. */
  list(): FaultRecord[] {
    const records = Array.from(this.#faults, ([key, { kind, at }]): [string, FaultRecord] => {
      const name = this.#nameOf(key);
      const document = documentWords(name);
      const words = faultWords(kind, document);
      return [`${name}/${words}`, { name, document, words, at }];
    });
    return [...new Map(records).values()];
  }
}
