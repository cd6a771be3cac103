import type { Args, Result, SyscallName } from '../../shared/syscalls/table.ts';
import type { ViewRow } from '../../shared/syscalls/view.ts';

export type SignalListener = (signal: string, payload: Record<string, unknown>) => void;
export type ViewArgs = Args<'view.open'>;

/** How the tab stands with its kernel: a lost kernel is looked for again by itself. */
export type Attachment = 'attaching' | 'attached' | 'failed';

/** A tab's handle on the kernel: typed calls, signals, and live rows. Every call settles. */
export interface Gsv {
  /** Rejects with SyscallError. Calls made while the kernel is being looked for wait for it, up to their deadline. */
  call<Name extends SyscallName>(
    name: Name,
    args: Args<Name>,
    options?: { timeoutMs?: number; signal?: AbortSignal },
  ): Promise<Result<Name>>;
  /** Signs in with a password and remembers a session token for this browser. Rejects with SyscallError 401. */
  signIn(username: string, password: string): Promise<void>;
  /** Forgets the session token of this browser and revokes it. */
  signOut(): Promise<void>;
  /** First setup; signs in with the new account. */
  setup(args: Args<'sys.setup'>): Promise<Result<'sys.setup'>>;
  /** `signed-out` covers a fresh browser that is set up; `setup` one that is not. */
  session(): Promise<'setup' | 'signed-out' | 'signed-in'>;
  onSignal(listener: SignalListener): () => void;
  /**
   * Live rows of a view. `onRows` gets all rows once, then again after every patch: rows that did not change keep
   * their identity. Reopened by itself after a kernel restart.
   */
  watch(
    args: ViewArgs,
    onRows: (rows: ReadonlyMap<string, ViewRow['value']>, total: number) => void,
  ): () => void;
  onAttachment(listener: (attachment: Attachment, reason: string) => void): () => void;
}
