import type { Frame } from './frames.ts';
import type { Link, LinkEvents } from './link.ts';

/** What a MessagePort gives, in the browser and in Node. */
export type PortLike = {
  postMessage(message: unknown): void;
  close(): void;
  onmessage: { handle(event: { data: unknown }): void }['handle'] | null;
  start?(): void;
};

const CLOSE = 'close';

/**
 * A link over a MessagePort: frames travel as structured objects, without JSON. A port has no close event, so
 * closing posts `{type: 'close', reason}`; an end that dies unsaid is reported through `lost()`.
 */
export class PortLink implements Link {
  readonly inlineBytes = Number.POSITIVE_INFINITY;
  readonly #port: PortLike;
  #events: LinkEvents | null = null;
  #open = true;

  constructor(port: PortLike) {
    this.#port = port;
  }

  listen(events: LinkEvents): void {
    this.#events = events;
    this.#port.onmessage = ({ data }) => {
      if (isClose(data)) this.lost(data.reason);
      else if (this.#open) events.message(data);
    };
    this.#port.start?.();
  }

  send(message: Frame | Uint8Array): void {
    if (this.#open) this.#port.postMessage(message);
  }

  close(_code: number, reason: string): void {
    if (!this.#open) return;
    this.#port.postMessage({ type: CLOSE, reason });
    this.lost(reason);
  }

  /** The other end is known to be gone. */
  lost(reason: string): void {
    if (!this.#open) return;
    this.#open = false;
    this.#port.close();
    this.#events?.closed(reason);
  }
}

function isClose(data: unknown): data is { reason: string } {
  if (typeof data !== 'object' || data === null) return false;
  const message = data as { type?: unknown; reason?: unknown };
  return message.type === CLOSE && typeof message.reason === 'string';
}
