import type { LeaseRef } from '../protocol/frames.ts';
import type { ByteStream } from '../protocol/streams.ts';
import type { ProcessIdentity } from '../syscalls/proc.ts';
import type { Args, Result, SyscallName } from '../syscalls/table.ts';

/** Where a call came from. Decides which audiences of the table it belongs to. */
export type Origin =
  | { kind: 'tab'; connectionId: string }
  | { kind: 'process'; pid: string; runId: string; conversationId?: string }
  | { kind: 'connection'; connectionId: string }
  | { kind: 'kernel' };

/** Who asks, after authentication. */
export type Caller = { identity: ProcessIdentity; capabilities: readonly string[]; origin: Origin };

/** One call on its way to a handler. Its name, arguments and authority have been checked. */
export type Invocation = {
  readonly caller: Caller;
  /** Aborts when the caller gives up or the call's time is over. */
  readonly signal: AbortSignal;
  /** Idempotency key of an effectful call. */
  readonly key: string | undefined;
  /** Bytes that accompany the arguments. */
  readonly stream: ByteStream | undefined;
  /** Tells the caller what there is so far, as text; it may not arrive. */
  progress(text: string): void;
  /** Sends bytes with the answer. */
  sendBytes(stream: ByteStream): void;
};

/** Answers one syscall. Throws SyscallError for routing and authority; operation failures are results. */
export type Handler<Name extends SyscallName> = (
  args: Args<Name>,
  invocation: Invocation,
) => Promise<Result<Name>>;
export type Handlers<Names extends SyscallName = SyscallName> = { [Name in Names]: Handler<Name> };

export type CallOptions = {
  signal?: AbortSignal;
  key?: string;
  /** The lease under which a run makes the call. */
  lease?: LeaseRef;
  stream?: ByteStream;
  timeoutMs?: number;
  /** Text of a call that is going on. Must not throw. */
  onProgress?: (text: string) => void;
};

/**
 * Calls syscalls as one fixed caller, through every check (the shell's commands, the agent's tools).
 * Rejects with SyscallError.
 */
export type Syscalls = {
  call<Name extends SyscallName>(name: Name, args: Args<Name>, options?: CallOptions): Promise<Result<Name>>;
  /** As `call`, with the bytes that came with the answer. */
  open<Name extends SyscallName>(
    name: Name,
    args: Args<Name>,
    options?: CallOptions,
  ): Promise<{ result: Result<Name>; stream: ByteStream | undefined }>;
};
