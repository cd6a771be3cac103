import type { ByteStream } from '../../shared/protocol/streams.ts';
import type { Args, Result, SyscallName } from '../../shared/syscalls/table.ts';
import type { ViewRow } from '../../shared/syscalls/view-row.ts';

export type SignalListener = (signal: string, payload: Record<string, unknown>) => void;
export type ViewArgs = Args<'view.open'>;

/** How the tab stands with its kernel: a lost kernel is looked for again by itself; a locked one waits for `unlock`. */
export type Attachment = 'attaching' | 'attached' | 'locked' | 'failed';

export type CallOptions = {
  timeoutMs?: number;
  signal?: AbortSignal;
  /** Bytes that accompany the arguments. */
  bytes?: ByteStream;
  /** What a call that is going on says of itself; it may say nothing. Must not throw. */
  onProgress?: (text: string) => void;
};

/** A tab's handle on the kernel: typed calls, signals, and live rows. Every call settles. */
export interface Gsv {
  /** Rejects with SyscallError. Calls made while the kernel is being looked for wait for it, up to their deadline. */
  call<Name extends SyscallName>(name: Name, args: Args<Name>, options?: CallOptions): Promise<Result<Name>>;
  /** As `call`, with the bytes that come with the answer. Whoever gets them reads them to their end, or cancels them. */
  open<Name extends SyscallName>(
    name: Name,
    args: Args<Name>,
    options?: CallOptions,
  ): Promise<{ result: Result<Name>; bytes: ByteStream | undefined }>;
  /** Signs in with a password and remembers a session token for this browser. Rejects with SyscallError 401. */
  signIn(username: string, password: string): Promise<void>;
  /** Forgets the session token of this browser and revokes it. */
  signOut(): Promise<void>;
  /** Opens what this browser stores, with its password. Rejects with what was wrong, for a person. */
  unlock(password: string): Promise<void>;
  /** Removes what this browser stores and nobody can open; calls wait for an empty GSV then. */
  removeLocked(): Promise<void>;
  /** First setup; signs in with the new account. */
  setup(args: Args<'sys.setup'>): Promise<Result<'sys.setup'>>;
  /**
   * Makes this empty browser one more that holds the server's GSV, with the secret of an invitation, and signs in
   * there. Rejects with SyscallError: 409 when this browser is not empty.
   */
  acceptInvite(secret: string, onProgress: (text: string) => void): Promise<void>;
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
