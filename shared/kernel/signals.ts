export type Signalled = { uid: number; signal: string; payload: Record<string, unknown> };

/** What happens here, told to those parts of the kernel that act on it; frames of other replicas are not. */
export class Signals {
  readonly #listeners = new Set<(signalled: Signalled) => void>();

  tell(signalled: Signalled): void {
    for (const listener of this.#listeners) listener(signalled);
  }

  /** The returned function ends it. */
  observe(listener: (signalled: Signalled) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
