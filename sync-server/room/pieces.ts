import type { ByteStream } from '../../shared/protocol/streams.ts';
import { concatBytes } from '../../shared/std/bytes.ts';

/** Bytes that are written at once. */
export const PIECE_BYTES = 1024 * 1024;

/**
 * The bytes of a stream in pieces of about that size. What came before the stream fails is a piece of its own, and then
 * the failure is thrown. Ends early when the signal aborts; the stream is not read further once nobody asks.
 */
export async function* pieces(stream: ByteStream, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  const stop = (): void => void reader.cancel(signal.reason).catch(() => {});
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  try {
    for (;;) {
      const { chunks, end } = await gather(reader);
      if (chunks.length > 0) yield concatBytes(chunks);
      if (end?.kind === 'failed') throw end.reason;
      if (end) return;
    }
  } finally {
    signal.removeEventListener('abort', stop);
    void reader.cancel().catch(() => {});
  }
}

type Gathered = {
  chunks: Uint8Array[];
  /** Null when the stream goes on. */
  end: { kind: 'done' } | { kind: 'failed'; reason: unknown } | null;
};

async function gather(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Gathered> {
  const chunks: Uint8Array[] = [];
  try {
    for (let bytes = 0; bytes < PIECE_BYTES; ) {
      const step = await reader.read();
      if (step.done) return { chunks, end: { kind: 'done' } };
      chunks.push(step.value);
      bytes += step.value.length;
    }
    return { chunks, end: null };
  } catch (reason) {
    return { chunks, end: { kind: 'failed', reason } };
  }
}
