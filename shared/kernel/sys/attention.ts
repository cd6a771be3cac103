import type { Handlers } from '../handler.ts';

/** What each page of this browser shows to its person at the moment: a process, or something else; hidden pages are not here. */
export class Attention {
  readonly #shown = new Map<string, string | null>();
  readonly #listeners = new Set<() => void>();

  handlers(): Handlers<'notification.attend'> {
    return {
      'notification.attend': async ({ visible, pid = null }, { caller }) => {
        if (caller.origin.kind !== 'tab') return { ok: true };
        const { any } = this;
        if (visible) this.#shown.set(caller.origin.connectionId, pid);
        else this.#shown.delete(caller.origin.connectionId);
        if (this.any !== any) this.#changed();
        return { ok: true };
      },
    };
  }

  /** Calls back when somebody begins or ceases to look at any page. Must not throw. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** Whether somebody looks at any page. */
  get any(): boolean {
    return this.#shown.size > 0;
  }

  /** Whether somebody looks at this process. */
  on(pid: string): boolean {
    return [...this.#shown.values()].includes(pid);
  }

  /** The page is gone. */
  drop(connectionId: string): void {
    const { any } = this;
    this.#shown.delete(connectionId);
    if (this.any !== any) this.#changed();
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}
