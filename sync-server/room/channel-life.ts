import { messageOf, ProtocolError } from '../../shared/protocol/errors.ts';
import type { Peer } from '../../shared/protocol/peer.ts';
import type { Use } from './documents.ts';

/** One document over one channel of a connection. */
export type DocChannel = {
  /** One message of the other end; they are handled in order. */
  receive(bytes: Uint8Array): void;
  /** Closes after everything that was received is stored and acknowledged. */
  finish(): Promise<void>;
  close(): void;
};

export type DocChannelParts<Kept> = {
  peer: Peer;
  doc: string;
  channel: number;
  use: Use<Kept>;
  /** Called once, however the channel ends. */
  onClosed(): void;
};

/** How a channel ends: closed, refused with a `doc.refused` signal, or with its connection when it said nonsense. */
export class ChannelLife {
  readonly #parts: DocChannelParts<unknown>;
  #stop: () => void = () => {};
  #open = true;

  constructor(parts: DocChannelParts<unknown>) {
    this.#parts = parts;
  }

  get open(): boolean {
    return this.#open;
  }

  /** Called at its end, once. */
  onClose(stop: () => void): void {
    this.#stop = stop;
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#stop();
    this.#parts.use.release();
    this.#parts.onClosed();
  }

  /** Bytes that no replica says end the connection; anything else ends the channel alone. */
  failed(thrown: unknown): void {
    if (!this.#open) return;
    if (thrown instanceof ProtocolError) this.#parts.peer.close(1002, thrown.message);
    else this.refuse(messageOf(thrown));
  }

  refuse(reason: string): void {
    if (!this.#open) return;
    this.close();
    const { peer, doc, channel } = this.#parts;
    peer.signal('doc.refused', { doc, channel, reason });
  }
}
