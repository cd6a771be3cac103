/** Lets callers wait until something that changes has come to be so. Whoever changes it says so by `changed`. */
export class Condition {
  readonly #checks = new Set<() => void>();

  changed(): void {
    for (const check of [...this.#checks]) check();
  }

  /** Resolves as soon as `holds()`, at once when it does already. Rejects with the signal's reason when that aborts first. */
  until(holds: () => boolean, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        this.#checks.delete(check);
        signal?.removeEventListener('abort', onAbort);
      };
      const check = (): void => {
        if (!holds()) return;
        end();
        resolve();
      };
      const onAbort = (): void => {
        end();
        reject(signal?.reason);
      };
      this.#checks.add(check);
      signal?.addEventListener('abort', onAbort, { once: true });
      check();
      if (signal?.aborted) onAbort();
    });
  }
}
