import type { Static } from 'typebox';
import { Type } from 'typebox';
import { concatBytes } from '../std/bytes.ts';
import { matches } from '../std/matches.ts';
import { type ErrorShape, ProtocolError, SyscallError, toErrorShape } from './errors.ts';
import type { SignalFrame } from './frames.ts';
import { limits } from './limits.ts';

export type ByteStream = ReadableStream<Uint8Array>;

/** What the streams of one peer need of it. */
export type StreamCarrier = {
  data(channel: number, chunk: Uint8Array): void;
  control(signal: string, payload: Record<string, unknown>): void;
};

const Channel = Type.Integer({ minimum: 1, maximum: 0xffffffff });
const Control = Type.Object({
  channel: Channel,
  bytes: Type.Optional(Type.Integer({ minimum: 0 })),
  error: Type.Optional(Type.Object({ code: Type.Integer(), message: Type.String() })),
});
type Control = Static<typeof Control>;

type Outgoing = { credit: number; wake: () => void; stop: (error: SyscallError) => void };
type Incoming = {
  received: number;
  granted: number;
  push(chunk: Uint8Array): void;
  end(total: number): void;
  fail(error: Error): void;
};

/**
 * The byte streams of one link (DESIGN 5). Invariants:
 * 1. A sender never holds more credit than `limits.windowBytes`; the receiver grants by `link.credit` as it reads.
 * 2. A stream is whole or an error: `link.end` carries the byte count, and a closed link fails every open stream.
 * 3. A channel number is used once; the connecting side counts in odd numbers, the accepting side in even ones.
 */
export class Streams {
  readonly #carrier: StreamCarrier;
  readonly #outgoing = new Map<number, Outgoing>();
  readonly #incoming = new Map<number, Incoming>();
  #nextChannel: number;

  constructor(carrier: StreamCarrier, side: 'connecting' | 'accepting') {
    this.#carrier = carrier;
    this.#nextChannel = side === 'connecting' ? 1 : 2;
  }

  /** Streams that are under way, in and out. */
  get open(): number {
    return this.#incoming.size + this.#outgoing.size;
  }

  allocate(): number {
    const channel = this.#nextChannel;
    this.#nextChannel += 2;
    return channel;
  }

  /** Sends `source` on a fresh channel in the background and cancels it when the receiver does not want it. */
  send(source: ByteStream): number {
    const channel = this.allocate();
    void this.#pump(channel, source);
    return channel;
  }

  /** The stream that arrives on `channel`. Nothing flows beyond the first window until it is read. */
  receive(channel: number): ByteStream {
    if (this.#incoming.has(channel)) throw new ProtocolError(`channel ${channel} is taken`);
    if (this.#incoming.size >= limits.channels) throw new ProtocolError('too many channels');
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#incoming.set(channel, {
            received: 0,
            granted: 0,
            push: (chunk) => controller.enqueue(chunk),
            end: () => controller.close(),
            fail: (error) => controller.error(error),
          });
        },
        pull: () => this.#refill(channel),
        cancel: () => {
          if (this.#incoming.delete(channel)) this.#carrier.control('link.cancel', { channel });
        },
      },
      { highWaterMark: 0 },
    );
  }

  /** Bytes of a channel. Returns false when no stream is open on it. */
  data(channel: number, chunk: Uint8Array): boolean {
    const stream = this.#incoming.get(channel);
    if (!stream) return false;
    stream.received += chunk.length;
    if (stream.received > stream.granted)
      throw new ProtocolError(`channel ${channel} sent more than it was granted`);
    stream.push(chunk);
    return true;
  }

  /** Handles `link.*` signals about channels. Throws ProtocolError on a malformed one. */
  control(frame: SignalFrame): void {
    if (!matches(Control, frame.payload)) throw new ProtocolError(`${frame.signal} is malformed`);
    const payload: Control = frame.payload;
    if (frame.signal === 'link.credit') this.#grant(payload);
    else if (frame.signal === 'link.cancel') this.#cancel(payload);
    else if (frame.signal === 'link.end') this.#end(payload);
    else if (frame.signal === 'link.fail') this.#fail(payload);
  }

  /** Fails everything that is open: the link is gone. */
  closeAll(error: SyscallError): void {
    for (const stream of this.#incoming.values()) stream.fail(error);
    for (const stream of this.#outgoing.values()) stream.stop(error);
    this.#incoming.clear();
    this.#outgoing.clear();
  }

  /** Everything received has been read: brings what the sender may send back to a whole window, in large steps. */
  #refill(channel: number): void {
    const stream = this.#incoming.get(channel);
    if (!stream) return;
    const bytes = limits.windowBytes - (stream.granted - stream.received);
    if (bytes < limits.windowBytes / 2) return;
    stream.granted += bytes;
    this.#carrier.control('link.credit', { channel, bytes });
  }

  #grant({ channel, bytes = 0 }: Control): void {
    const stream = this.#outgoing.get(channel);
    if (!stream) return;
    stream.credit = Math.min(limits.windowBytes, stream.credit + bytes);
    stream.wake();
  }

  #cancel({ channel }: Control): void {
    this.#outgoing.get(channel)?.stop(new SyscallError(499, 'The receiver cancelled the stream'));
  }

  #end({ channel, bytes = 0 }: Control): void {
    const stream = this.#incoming.get(channel);
    if (!stream) return;
    this.#incoming.delete(channel);
    if (stream.received === bytes) stream.end(bytes);
    else stream.fail(new SyscallError(502, `Stream is incomplete: ${stream.received} of ${bytes} bytes`));
  }

  #fail({ channel, error }: Control): void {
    const stream = this.#incoming.get(channel);
    this.#incoming.delete(channel);
    stream?.fail(SyscallError.from(error ?? { code: 502, message: 'Stream failed' }));
  }

  async #pump(channel: number, source: ByteStream): Promise<void> {
    const reader = source.getReader();
    const state = this.#openOutgoing(channel, (error) => void reader.cancel(error).catch(() => {}));
    let sent = 0;
    try {
      for (;;) {
        const step = await reader.read();
        if (step.done) break;
        sent += await this.#sendChunks(channel, state, step.value);
      }
      state.check();
      this.#carrier.control('link.end', { channel, bytes: sent });
    } catch (thrown) {
      void reader.cancel(thrown).catch(() => {});
      this.#carrier.control('link.fail', { channel, error: plainError(toErrorShape(thrown)) });
    } finally {
      this.#outgoing.delete(channel);
    }
  }

  /** `cancel` ends the wait for a source that has nothing to give. */
  #openOutgoing(
    channel: number,
    cancel: (error: SyscallError) => void,
  ): Outgoing & { check(): void; credited(): Promise<void> } {
    let stopped: SyscallError | null = null;
    let waiting: (() => void) | null = null;
    const wake = (): void => {
      waiting?.();
      waiting = null;
    };
    const state = {
      credit: 0,
      wake,
      stop: (error: SyscallError): void => {
        stopped = error;
        cancel(error);
        wake();
      },
      check: (): void => {
        if (stopped) throw stopped;
      },
      credited: async (): Promise<void> => {
        while (!stopped && state.credit <= 0) await new Promise<void>((resolve) => (waiting = resolve));
        state.check();
      },
    };
    this.#outgoing.set(channel, state);
    return state;
  }

  async #sendChunks(
    channel: number,
    state: Outgoing & { credited(): Promise<void> },
    bytes: Uint8Array,
  ): Promise<number> {
    for (let at = 0; at < bytes.length; ) {
      await state.credited();
      const length = Math.min(limits.chunkBytes, state.credit, bytes.length - at);
      state.credit -= length;
      this.#carrier.data(channel, bytes.subarray(at, at + length));
      at += length;
    }
    return bytes.length;
  }
}

function plainError(shape: ErrorShape): { code: number; message: string } {
  return { code: shape.code, message: shape.message };
}

/** Reads a stream to its end. Rejects past `maximum` bytes, and when the stream fails. */
export async function readAll(stream: ByteStream, maximum: number): Promise<Uint8Array<ArrayBuffer>> {
  const reader = stream.getReader();
  const chunks: Uint8Array[] = [];
  let total = 0;
  for (;;) {
    const step = await reader.read();
    if (step.done) break;
    total += step.value.length;
    if (total > maximum) {
      await reader.cancel().catch(() => {});
      throw new SyscallError(413, `More than ${maximum} bytes`);
    }
    chunks.push(step.value);
  }
  return concatBytes(chunks);
}

export function streamOf(bytes: Uint8Array): ByteStream {
  return new ReadableStream<Uint8Array>({
    start(controller) {
      if (bytes.length > 0) controller.enqueue(bytes);
      controller.close();
    },
  });
}
