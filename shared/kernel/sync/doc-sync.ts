import { createDecoder, readVarUint } from 'lib0/decoding';
import { createEncoder, length, toUint8Array, writeVarUint } from 'lib0/encoding';
import { readSyncMessage, writeSyncStep1, writeUpdate } from 'y-protocols/sync';
import type * as Y from 'yjs';
import type { Peer } from '../../protocol/peer.ts';

/** The outer message type of y-websocket's wire for sync messages. */
const SYNC = 0;

/**
 * One document over one channel of a room's link, in the messages that y-websocket speaks. `waiting` counts what was
 * sent and is not confirmed as stored.
 */
export class DocSync {
  readonly #peer: Peer;
  readonly #doc: Y.Doc;
  readonly #name: string;
  readonly #channel: number;
  readonly #onChange: () => void;
  #sent = 0;
  #stored = 0;
  #stopped = false;

  constructor(peer: Peer, name: string, doc: Y.Doc, onChange: () => void) {
    this.#peer = peer;
    this.#doc = doc;
    this.#name = name;
    this.#onChange = onChange;
    this.#channel = peer.streams.allocate();
  }

  get waiting(): number {
    return this.#sent - this.#stored;
  }

  /** Opens the channel and begins to exchange. Rejects with SyscallError when the room refuses. */
  async start(): Promise<void> {
    await this.#peer.call('doc.open', { doc: this.#name, channel: this.#channel });
    if (this.#stopped) return;
    this.#doc.on('update', this.#onUpdate);
    this.#send((encoder) => writeSyncStep1(encoder, this.#doc));
  }

  stop(): void {
    this.#stopped = true;
    this.#doc.off('update', this.#onUpdate);
  }

  /** Bytes of a channel. False when they are for another. Throws on bytes that are not a sync message. */
  receive(channel: number, bytes: Uint8Array): boolean {
    if (channel !== this.#channel) return false;
    const decoder = createDecoder(bytes);
    if (readVarUint(decoder) !== SYNC) return true;
    const reply = createEncoder();
    writeVarUint(reply, SYNC);
    const empty = length(reply);
    readSyncMessage(decoder, reply, this.#doc, this);
    if (length(reply) > empty) this.#sendChange(toUint8Array(reply));
    return true;
  }

  /** The room has stored this many of our changes. */
  acknowledge(channel: number, count: number): void {
    if (channel !== this.#channel) return;
    this.#stored = Math.max(this.#stored, Math.min(count, this.#sent));
    this.#onChange();
  }

  readonly #onUpdate = (update: Uint8Array, origin: unknown): void => {
    if (origin === this) return;
    const encoder = createEncoder();
    writeVarUint(encoder, SYNC);
    writeUpdate(encoder, update);
    this.#sendChange(toUint8Array(encoder));
  };

  #send(write: (encoder: ReturnType<typeof createEncoder>) => void): void {
    const encoder = createEncoder();
    writeVarUint(encoder, SYNC);
    write(encoder);
    this.#peer.sendBytes(this.#channel, toUint8Array(encoder));
  }

  #sendChange(bytes: Uint8Array): void {
    this.#sent += 1;
    this.#peer.sendBytes(this.#channel, bytes);
    this.#onChange();
  }
}
