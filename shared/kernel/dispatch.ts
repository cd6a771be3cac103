import { SyscallError } from '../protocol/errors.ts';
import type { LeaseRef } from '../protocol/frames.ts';
import type { ByteStream } from '../protocol/streams.ts';
import type { Clock } from '../std/clock.ts';
import type { Audience } from '../syscalls/declare.ts';
import { capabilityOf, checkArgs, checkCapability, checkName, checkResult } from '../syscalls/gate.ts';
import { type RoomSyscall, type SyscallName, table } from '../syscalls/table.ts';
import type { Caller, Handlers, Invocation, Origin } from './handler.ts';
import { openedSession, type RoutingView, route } from './routing.ts';

export type Dispatched = { data: unknown; stream: ByteStream | undefined };

export type DispatchOptions = {
  signal: AbortSignal;
  key?: string | undefined;
  /** The lease under which the caller acts; the room refuses a call on a device under one that is another's by now. */
  lease?: LeaseRef | undefined;
  stream?: ByteStream | undefined;
  timeoutMs: number;
  /** Text of a call that is going on. Must not throw. */
  onProgress?: ((text: string) => void) | undefined;
};

/** Makes the same call on a device. Rejects with SyscallError; closes nothing. */
export type CallDevice = (
  deviceId: string,
  call: SyscallName,
  args: Record<string, unknown>,
  options: DispatchOptions,
) => Promise<Dispatched>;

/** What a kernel answers itself: a connection answers `sys.connect`. */
export type NativeSyscall = Exclude<SyscallName, 'sys.connect' | RoomSyscall>;

export type DispatchParts = {
  handlers: Handlers<NativeSyscall>;
  routing: RoutingView;
  callDevice: CallDevice;
  noteSession(sessionId: string, deviceId: string, uid: number): void;
  clock: Clock;
};

const AUDIENCES: Record<Origin['kind'], readonly Audience[]> = {
  tab: ['anyone', 'user', 'person', 'tab'],
  connection: ['anyone', 'user', 'person'],
  process: ['user', 'process'],
  kernel: ['user', 'person', 'process', 'kernel', 'tab'],
};

/**
 * The one way to a handler. Checks in this order: known (404), well-formed (400), for this caller (403), permitted
 * (403), routed (403, 503, 400); then the handler, or the same call on a device.
 */
export class Dispatcher {
  readonly #parts: DispatchParts;

  constructor(parts: DispatchParts) {
    this.#parts = parts;
  }

  async dispatch(
    caller: Caller,
    call: string,
    rawArgs: unknown,
    options: DispatchOptions,
  ): Promise<Dispatched> {
    const name = checkName(call);
    const args = checkArgs(name, rawArgs) as Record<string, unknown>;
    if (!AUDIENCES[caller.origin.kind].includes(table[name].audience)) {
      throw new SyscallError(403, `Permission denied: ${name}`);
    }
    if (table[name].audience !== 'anyone') checkCapability(caller.capabilities, capabilityOf(name));
    const destination = route(this.#parts.routing, caller.identity, name, args, this.#parts.clock.now());
    if (destination.kind === 'device')
      return this.#onDevice(caller, destination.deviceId, name, args, options);
    return this.#native(caller, name, args, options);
  }

  async #native(
    caller: Caller,
    name: SyscallName,
    args: Record<string, unknown>,
    options: DispatchOptions,
  ): Promise<Dispatched> {
    let stream: ByteStream | undefined;
    const invocation: Invocation = {
      caller,
      signal: options.signal,
      key: options.key,
      stream: options.stream,
      progress: options.onProgress ?? (() => {}),
      sendBytes: (bytes) => {
        stream = bytes;
      },
    };
    const handlers = this.#parts.handlers as Partial<
      Record<SyscallName, (args: never, invocation: Invocation) => Promise<unknown>>
    >;
    const handler = handlers[name];
    if (!handler) throw new SyscallError(404, `Not answered here: ${name}`);
    const { target: _native, ...rest } = args;
    // Of other calls it is an argument like any.
    const data = await handler((table[name].routable ? rest : args) as never, invocation);
    return { data, stream };
  }

  async #onDevice(
    caller: Caller,
    deviceId: string,
    name: SyscallName,
    args: Record<string, unknown>,
    options: DispatchOptions,
  ): Promise<Dispatched> {
    const answer = await this.#parts.callDevice(deviceId, name, { ...args, target: deviceId }, options);
    const data = checkResult(name, answer.data);
    const sessionId = openedSession(name, data);
    if (sessionId !== undefined) this.#parts.noteSession(sessionId, deviceId, caller.identity.uid);
    return { data, stream: answer.stream };
  }
}
