import type { Documents } from '../documents.ts';

export type OldGenerationsParts = {
  documents: Documents;
  /** Of the names of documents: what follows is the number of the generation. */
  prefix: string;
  /** Runs something a little later; the returned function cancels it. */
  later(run: () => void): () => void;
};

/**
 * Removes the documents of a conversation's older generations. Invariant: they go after what came in their place is on
 * disk, however long the disk refuses that.
 */
export class OldGenerations {
  readonly #parts: OldGenerationsParts;
  /** Generations before this one go. */
  #before = 0;
  #cancel: (() => void) | null = null;
  #closed = false;

  constructor(parts: OldGenerationsParts) {
    this.#parts = parts;
  }

  /** Resolves when they are gone, or when the disk refused: then it is tried again. Never rejects. */
  async removeBefore(generation: number): Promise<void> {
    this.#before = Math.max(this.#before, generation);
    this.#stopWaiting();
    if (this.#closed) return;
    await this.#remove().catch(() => this.#again());
  }

  close(): void {
    this.#closed = true;
    this.#stopWaiting();
  }

  async #remove(): Promise<void> {
    const { documents, prefix } = this.#parts;
    await documents.flush();
    const numberOf = (name: string): number => Number.parseInt(name.slice(prefix.length), 10);
    const names = await documents.names(prefix);
    for (const name of names) if (numberOf(name) < this.#before) await documents.remove(name);
  }

  #again(): void {
    this.#stopWaiting();
    if (!this.#closed) this.#cancel = this.#parts.later(() => void this.removeBefore(this.#before));
  }

  #stopWaiting(): void {
    this.#cancel?.();
    this.#cancel = null;
  }
}
