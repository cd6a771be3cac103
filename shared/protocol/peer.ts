import type { Clock } from '../std/clock.ts';
import { type Deferred, deferred } from '../std/deferred.ts';
import { messageOf, ProtocolError, SyscallError, toErrorShape } from './errors.ts';
import {
  checkFrame,
  checkParts,
  decodeFrame,
  type Frame,
  type LeaseRef,
  type RequestFrame,
  type ResponseFrame,
  type SignalFrame,
} from './frames.ts';
import { limits } from './limits.ts';
import type { Link } from './link.ts';
import { type ByteStream, readAll, Streams, streamOf } from './streams.ts';

/**
 * A call that arrived. `signal` aborts when the caller gives up (its reason is a SyscallError 499), its time is over
 * (504), or a link on the way to the caller closes (503).
 */
export type IncomingCall = {
  readonly id: string;
  readonly call: string;
  readonly args: unknown;
  readonly key: string | undefined;
  /** Milliseconds left for the call when it arrived. */
  readonly ttl: number;
  /** The lease under which the caller acts, if it says one. */
  readonly lease: LeaseRef | undefined;
  readonly stream: ByteStream | undefined;
  readonly signal: AbortSignal;
  /** Tells the caller what there is so far, as text. A courtesy: nothing may depend on its arrival. */
  progress(text: string): void;
};

/** The answer to a call. `stream` accompanies the data as bytes. */
export type Reply = { data?: unknown; stream?: ByteStream };

export type CallOptions = {
  /** Default `limits.callTimeoutMs`. The caller gets 504 when it is over. */
  timeoutMs?: number;
  /** Idempotency key of an effectful call; the same key is executed once. */
  key?: string;
  /** The lease under which the call is made. */
  lease?: LeaseRef;
  signal?: AbortSignal;
  stream?: ByteStream;
  /** Text of a call that is going on. Must not throw. */
  onProgress?: (text: string) => void;
};

export type PeerHandlers = {
  /** Answers a call. Rejections become error responses; only SyscallError tells its text. */
  call(call: IncomingCall): Promise<Reply>;
  signal(frame: SignalFrame): void;
  /** Bytes on a channel that no stream uses (a document's sync). Returns false when nobody listens. */
  bytes?(channel: number, bytes: Uint8Array): boolean;
  /** Whether the far end may send arguments beside a call now; when it does so unasked, the link is closed. Default: always. */
  takesBodies?(): boolean;
  closed(reason: string): void;
};

/** `lost`: nobody decided to stop the call; a link further back closed, and its caller may ask again by its key. */
type AbortPayload = { id: string; lost?: true };
type OkFrame = ResponseFrame & { ok: true };
type Pending = { answer: Deferred<Reply>; done(): void; onProgress: CallOptions['onProgress'] };

/**
 * One end of a link: calls, answers, signals and byte streams, the same at both ends.
 * Every call settles: answered, out of time (504), aborted (499), or the link closed (503, `details.inFlight`: the
 * other end may have executed it).
 */
export class Peer {
  readonly streams: Streams;
  readonly #link: Link;
  readonly #handlers: PeerHandlers;
  readonly #clock: Clock;
  readonly #pending = new Map<string, Pending>();
  readonly #serving = new Map<string, AbortController>();
  #closed: string | null = null;
  #counter = 0;

  constructor(link: Link, side: 'connecting' | 'accepting', clock: Clock, handlers: PeerHandlers) {
    this.#link = link;
    this.#handlers = handlers;
    this.#clock = clock;
    this.streams = new Streams(
      {
        data: (channel, chunk) => this.sendBytes(channel, chunk),
        control: (signal, payload) => this.signal(signal, payload),
      },
      side,
    );
    link.listen({ message: (message) => this.#receive(message), closed: (reason) => this.#onClosed(reason) });
  }

  get closed(): boolean {
    return this.#closed !== null;
  }

  /** Calls the other end. Rejects with SyscallError only. */
  async call(call: string, args: unknown, options: CallOptions = {}): Promise<Reply> {
    if (this.#closed !== null)
      throw new SyscallError(503, `Not connected: ${this.#closed}`, { retryable: true });
    if (options.signal?.aborted) throw new SyscallError(499, 'Aborted');
    this.#counter += 1;
    const id = `c${this.#counter}`;
    const pending = this.#expect(id, options);
    const frame: RequestFrame = { type: 'req', id, call, ttl: options.timeoutMs ?? limits.callTimeoutMs };
    if (options.key !== undefined) frame.key = options.key;
    if (options.lease !== undefined) frame.lease = options.lease;
    try {
      if (options.stream) frame.stream = { channel: this.streams.send(options.stream) };
      this.#sendWith(frame, 'args', args);
    } catch {
      this.#reject(id, new SyscallError(400, `The arguments of ${call} cannot be sent`));
    }
    return pending;
  }

  signal(signal: string, payload?: unknown, seq?: number): void {
    const frame: SignalFrame = { type: 'sig', signal };
    if (payload !== undefined) frame.payload = payload;
    if (seq !== undefined) frame.seq = seq;
    this.#link.send(frame);
  }

  /** Sends one binary frame: the channel as four bytes, big-endian, then the payload. */
  sendBytes(channel: number, payload: Uint8Array): void {
    const frame = new Uint8Array(4 + payload.length);
    new DataView(frame.buffer).setUint32(0, channel);
    frame.set(payload, 4);
    this.#link.send(frame);
  }

  close(code: number, reason: string): void {
    if (this.#closed !== null) return;
    this.#link.close(code, reason);
    this.#onClosed(reason);
  }

  #expect(id: string, options: CallOptions): Promise<Reply> {
    const answer = deferred<Reply>();
    const abort = (code: number, message: string, payload: AbortPayload = { id }): void => {
      this.signal('link.abort', payload);
      this.#settle(id, (pending) =>
        pending.answer.reject(new SyscallError(code, message, { retryable: code === 504 })),
      );
    };
    const cancelTimer = this.#clock.after(options.timeoutMs ?? limits.callTimeoutMs, () =>
      abort(504, 'Syscall timed out'),
    );
    const onAbort = (): void =>
      abort(499, 'Aborted', isLost(options.signal?.reason) ? { id, lost: true } : { id });
    options.signal?.addEventListener('abort', onAbort, { once: true });
    const done = (): void => {
      cancelTimer();
      options.signal?.removeEventListener('abort', onAbort);
    };
    this.#pending.set(id, { answer, done, onProgress: options.onProgress });
    return answer.promise;
  }

  #settle(id: string, settle: (pending: Pending) => void): void {
    const pending = this.#pending.get(id);
    if (!pending) return;
    this.#pending.delete(id);
    pending.done();
    settle(pending);
  }

  #sendWith(frame: RequestFrame | OkFrame, field: 'args' | 'data', value: unknown): void {
    if (value !== undefined) {
      const { inlineBytes } = this.#link;
      const json = isSmall(value, inlineBytes) ? null : new TextEncoder().encode(JSON.stringify(value));
      if (json === null || json.length <= inlineBytes) Object.assign(frame, { [field]: value });
      else frame.body = { channel: this.streams.send(streamOf(json)), size: json.length };
    }
    this.#link.send(frame);
  }

  #receive(message: unknown): void {
    if (this.#closed !== null) return;
    try {
      if (message instanceof Uint8Array) this.#receiveBytes(message);
      else this.#receiveFrame(typeof message === 'string' ? decodeFrame(message) : checkFrame(message));
    } catch (thrown) {
      this.close(1002, thrown instanceof ProtocolError ? thrown.message : 'internal error');
    }
  }

  #receiveFrame(frame: Frame): void {
    if (frame.type === 'req') this.#receiveRequest(frame);
    else if (frame.type === 'sig') this.#receiveSignal(frame);
    else if (!frame.ok) this.#reject(frame.id, SyscallError.from(frame.error));
    else if (this.#pending.has(frame.id)) this.#receiveAnswer(frame);
    else this.#decline(frame);
  }

  #receiveBytes(frame: Uint8Array): void {
    if (frame.length < 4) throw new ProtocolError('binary frame is too short');
    const channel = new DataView(frame.buffer, frame.byteOffset, 4).getUint32(0);
    const payload = frame.subarray(4);
    // Bytes of a stream that was cancelled a moment ago still arrive; they are dropped.
    if (!this.streams.data(channel, payload)) this.#handlers.bytes?.(channel, payload);
  }

  #receiveSignal(frame: SignalFrame): void {
    if (!frame.signal.startsWith('link.')) this.#handlers.signal(frame);
    else if (frame.signal === 'link.abort') this.#abortServing(frame.payload);
    else if (frame.signal === 'link.progress') this.#progress(frame.payload);
    else this.streams.control(frame);
  }

  #progress(payload: unknown): void {
    const { id, text } = (payload ?? {}) as { id?: unknown; text?: unknown };
    if (typeof id === 'string' && typeof text === 'string') this.#pending.get(id)?.onProgress?.(text);
  }

  #abortServing(payload: unknown): void {
    const { id, lost } = (payload ?? {}) as { id?: unknown; lost?: unknown };
    const reason =
      lost === true ? new SyscallError(503, 'The caller was lost') : new SyscallError(499, 'Aborted');
    if (typeof id === 'string') this.#serving.get(id)?.abort(reason);
  }

  #receiveAnswer({ id, data: inline, body, stream: beside }: OkFrame): void {
    const stream = beside ? this.streams.receive(beside.channel) : undefined;
    const resolve = (data: unknown): void => {
      if (!this.#pending.has(id)) drop(stream);
      this.#settle(id, ({ answer }) => answer.resolve(reply(data, stream)));
    };
    const reject = (error: unknown): void => {
      this.#reject(id, error);
      drop(stream);
    };
    if (body) void this.#readBody(body).then(resolve, reject);
    else resolve(inline);
  }

  #reject(id: string, error: unknown): void {
    this.#settle(id, ({ answer }) => answer.reject(error));
  }

  /** What comes beside a frame that nobody waits for is not wanted: its sender stops. */
  #decline({ body, stream }: { body?: { channel: number }; stream?: { channel: number } }): void {
    for (const beside of [body, stream]) if (beside) drop(this.streams.receive(beside.channel));
  }

  #receiveRequest(frame: RequestFrame): void {
    if (this.#serving.has(frame.id)) throw new ProtocolError(`request id ${frame.id} is in use`);
    if (this.#serving.size >= limits.pendingCalls) {
      this.#decline(frame);
      const error = { code: 429, message: 'Too many calls', retryable: true };
      this.#link.send({ type: 'res', id: frame.id, ok: false, error });
      return;
    }
    if (frame.body && this.#handlers.takesBodies?.() === false)
      throw new ProtocolError('a body is not taken before sys.connect');
    const abort = new AbortController();
    this.#serving.set(frame.id, abort);
    const stream = frame.stream ? this.streams.receive(frame.stream.channel) : undefined;
    const args = frame.body ? this.#readBody(frame.body) : Promise.resolve(frame.args);
    void this.#serve(frame, args, stream, abort);
  }

  async #serve(
    frame: RequestFrame,
    args: Promise<unknown>,
    stream: ByteStream | undefined,
    abort: AbortController,
  ): Promise<void> {
    const ttl = frame.ttl ?? limits.callTimeoutMs;
    const cancelTimer = this.#clock.after(ttl, () => abort.abort(new SyscallError(504, 'Syscall timed out')));
    try {
      const call = {
        id: frame.id,
        call: frame.call,
        args: await args,
        key: frame.key,
        lease: frame.lease,
        ttl,
        stream,
        signal: abort.signal,
        progress: (text: string) => this.signal('link.progress', { id: frame.id, text }),
      };
      const answer = await this.#handlers.call(call);
      if (this.#closed !== null) return drop(answer.stream);
      const response: OkFrame = { type: 'res', id: frame.id, ok: true };
      if (answer.stream) response.stream = { channel: this.streams.send(answer.stream) };
      this.#sendWith(response, 'data', answer.data);
    } catch (thrown) {
      this.#link.send({ type: 'res', id: frame.id, ok: false, error: toErrorShape(thrown) });
    } finally {
      cancelTimer();
      this.#serving.delete(frame.id);
      drop(stream);
    }
  }

  async #readBody(body: { channel: number; size: number }): Promise<unknown> {
    const bytes = await readAll(this.streams.receive(body.channel), limits.bodyBytes);
    if (bytes.length !== body.size) throw new SyscallError(502, 'Body is incomplete');
    try {
      const value: unknown = JSON.parse(
        new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes),
      );
      checkParts(value);
      return value;
    } catch (thrown) {
      throw new SyscallError(400, `Body cannot be read: ${messageOf(thrown)}`);
    }
  }

  #onClosed(reason: string): void {
    if (this.#closed !== null) return;
    this.#closed = reason;
    const error = new SyscallError(503, `Connection closed: ${reason}`, {
      retryable: true,
      details: { inFlight: true },
    });
    for (const id of [...this.#pending.keys()]) this.#settle(id, (pending) => pending.answer.reject(error));
    for (const abort of this.#serving.values()) abort.abort(error);
    this.#serving.clear();
    this.streams.closeAll(error);
    this.#handlers.closed(reason);
  }
}

/** Cancels a stream that nobody began to read. */
function drop(stream: ByteStream | undefined): void {
  if (stream && !stream.locked) void stream.cancel().catch(() => {});
}

/** Whether a call ends because a link closed, here or further back. */
function isLost(reason: unknown): boolean {
  return reason instanceof SyscallError && reason.code === 503;
}

function reply(data: unknown, stream: ByteStream | undefined): Reply {
  return stream ? { data, stream } : { data };
}

/** Whether a value is certainly within so many bytes as JSON, without encoding it. */
function isSmall(value: unknown, bytes: number): boolean {
  if (bytes === Number.POSITIVE_INFINITY) return true;
  let left = bytes / 8;
  const walk = (inner: unknown): void => {
    left -= typeof inner === 'string' ? inner.length + 1 : 4;
    if (left < 0 || typeof inner !== 'object' || inner === null) return;
    for (const [key, item] of Object.entries(inner)) {
      left -= key.length;
      if (left < 0) return;
      walk(item);
    }
  };
  walk(value);
  return left >= 0;
}
