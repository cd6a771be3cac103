import { messageOf, ProtocolError, SyscallError } from '../../shared/protocol/errors.ts';
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

/**
 * What every channel does alike: it takes what comes in order, and ends: closed, refused with a `doc.refused` signal, or with its
 * connection when it said nonsense.
 */
export class ChannelLife {
  readonly #parts: DocChannelParts<unknown>;
  #stop: () => void = () => {};
  #open = true;
  #tail: Promise<void> = Promise.resolve();
  #stored: Promise<void> = Promise.resolve();

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

  /** Does a step after those before it, while the channel is open. What it throws ends the channel. */
  take(step: () => Promise<void>): void {
    this.#tail = this.#tail.then(() => this.#guarded(step));
  }

  /** Begins to store. Steps that come after do not wait for it, so that they may share its write. */
  store(write: () => Promise<unknown>): void {
    this.#stored = this.#guarded(write);
  }

  /** Resolves when what was begun last is stored, and so all before it. */
  get stored(): Promise<void> {
    return this.#stored;
  }

  /** Closes after every step and all that they store. */
  async finish(): Promise<void> {
    await this.#tail;
    await this.#stored;
    this.close();
  }

  async #guarded(step: () => unknown): Promise<void> {
    try {
      if (this.#open) await step();
    } catch (thrown) {
      this.#failed(thrown);
    }
  }

  /** Bytes that no replica says end the connection; anything else ends the channel alone. */
  #failed(thrown: unknown): void {
    if (!this.#open) return;
    if (thrown instanceof ProtocolError) this.#parts.peer.close(1002, thrown.message);
    else this.refuse(messageOf(thrown), thrown instanceof SyscallError && thrown.code === 410);
  }

  /** `ended`: the document is no more, or not as it was; else the same may be taken later. */
  refuse(reason: string, ended: boolean): void {
    if (!this.#open) return;
    this.close();
    const { peer, doc, channel } = this.#parts;
    peer.signal('doc.refused', { doc, channel, reason, ended });
  }
}
