import type { Frame } from './frames.ts';
import { limits } from './limits.ts';
import type { Link, LinkEvents } from './link.ts';

/** What a WebSocket gives in the browser, in workerd and in the `ws` package. */
export type SocketLike = {
  binaryType: string;
  send(data: string | Uint8Array<ArrayBuffer>): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void;
  addEventListener(type: 'close', listener: (event: { code: number; reason: string }) => void): void;
  addEventListener(type: 'error', listener: () => void): void;
};

/** A socket refuses to close with a longer reason (RFC 6455). */
const MAX_REASON_BYTES = 123;

/** A link over an open WebSocket: frames are JSON text, channels are binary. */
export class SocketLink implements Link {
  readonly inlineBytes = limits.inlineBytes;
  readonly #socket: SocketLike;
  #open = true;
  #events: LinkEvents | null = null;

  constructor(socket: SocketLike) {
    socket.binaryType = 'arraybuffer';
    this.#socket = socket;
  }

  listen(events: LinkEvents): void {
    this.#events = events;
    this.#socket.addEventListener('message', ({ data }) => {
      if (this.#open) events.message(data instanceof ArrayBuffer ? new Uint8Array(data) : data);
    });
    this.#socket.addEventListener('close', ({ code, reason }) => this.#lost(reason || `closed (${code})`));
    this.#socket.addEventListener('error', () => this.#lost('connection failed'));
  }

  send(message: Frame | Uint8Array): void {
    if (!this.#open) return;
    try {
      this.#socket.send(
        message instanceof Uint8Array ? (message as Uint8Array<ArrayBuffer>) : JSON.stringify(message),
      );
    } catch {
      this.#lost('connection failed');
    }
  }

  close(code: number, reason: string): void {
    if (!this.#open) return;
    try {
      this.#socket.close(code, cutToBytes(reason, MAX_REASON_BYTES));
    } catch {
      // The socket is already gone; that is what was asked for.
    }
    this.#lost(reason);
  }

  #lost(reason: string): void {
    if (!this.#open) return;
    this.#open = false;
    this.#events?.closed(reason);
  }
}

/** The longest beginning that takes at most `bytes` in UTF-8, without half a character at its end. */
function cutToBytes(text: string, bytes: number): string {
  const encoded = new TextEncoder().encode(text);
  if (encoded.length <= bytes) return text;
  return new TextDecoder().decode(encoded.subarray(0, bytes)).replace(/\uFFFD+$/, '');
}
