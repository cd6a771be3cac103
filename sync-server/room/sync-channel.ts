import * as decoding from 'lib0/decoding';
import * as encoding from 'lib0/encoding';
import * as sync from 'y-protocols/sync';
import { ProtocolError } from '../../shared/protocol/errors.ts';
import type { Peer } from '../../shared/protocol/peer.ts';
import { ChannelLife, type DocChannel, type DocChannelParts } from './channel-life.ts';
import type { RoomDocument } from './document.ts';

/** Outer message types, as y-websocket numbers them. */
const SYNC = 0;
const AWARENESS = 1;
const QUERY_AWARENESS = 3;

/** A sync message longer than this is refused; a replica splits what it has to say. */
export const SYNC_MESSAGE_BYTES = 16 * 1024 * 1024;

type SyncMessage =
  | { kind: 'state'; vector: Uint8Array }
  | { kind: 'update'; step2: boolean; update: Uint8Array }
  | { kind: 'other' };

/**
 * One document's sync over one channel of a connection, as y-websocket speaks it. Every stored update is answered
 * by `doc.ack {channel, count, seq}`, every one that could not be stored by `doc.refused {doc, channel, reason, ended}`,
 * which also ends the channel.
 */
export class SyncChannel implements DocChannel {
  readonly #peer: Peer;
  readonly #channel: number;
  readonly #document: Promise<RoomDocument>;
  readonly #life: ChannelLife;
  /** Updates that are stored, the newest one's number, and how many the other end has been told of. */
  #count = 0;
  #seq = 0;
  #acknowledged = 0;

  constructor(parts: DocChannelParts<RoomDocument>) {
    this.#peer = parts.peer;
    this.#channel = parts.channel;
    this.#document = parts.use.document;
    this.#life = new ChannelLife(parts);
  }

  /** Begins to relay, and asks the other end for what the room lacks. Resolves with the log's number. */
  async start(): Promise<number> {
    const document = await this.#document;
    if (!this.#life.open) return document.seq;
    const stop = document.listen({
      came: (update, origin) => {
        if (origin !== this) this.#send((encoder) => sync.writeUpdate(encoder, update));
      },
      ended: (reason) => this.#life.refuse(reason, true),
    });
    this.#life.onClose(stop);
    this.#send((encoder) => sync.writeSyncStep1(encoder, document.doc));
    return document.seq;
  }

  receive(bytes: Uint8Array): void {
    this.#life.take(() => this.#handle(bytes));
  }

  finish(): Promise<void> {
    return this.#life.finish();
  }

  close(): void {
    this.#life.close();
  }

  async #handle(bytes: Uint8Array): Promise<void> {
    const message = readMessage(bytes);
    const document = await this.#document;
    if (message.kind === 'state') this.#answerState(document, message.vector);
    // The document answers in order.
    else if (message.kind === 'update') this.#life.store(() => this.#store(document, message));
  }

  #answerState(document: RoomDocument, vector: Uint8Array): void {
    this.#send((encoder) => {
      try {
        sync.writeSyncStep2(encoder, document.doc, vector);
      } catch {
        throw new ProtocolError('malformed state vector');
      }
    });
  }

  /** A reconnecting replica says again what is known; that is acknowledged without growing the log. */
  async #store(
    document: RoomDocument,
    { step2, update }: { step2: boolean; update: Uint8Array },
  ): Promise<void> {
    this.#acknowledge(await document.store(update, this, step2));
  }

  /** What was stored together is acknowledged together. */
  #acknowledge(seq: number): void {
    this.#count += 1;
    this.#seq = seq;
    if (this.#count - this.#acknowledged === 1) void Promise.resolve().then(() => this.#tellStored());
  }

  #tellStored(): void {
    if (!this.#life.open || this.#acknowledged === this.#count) return;
    this.#acknowledged = this.#count;
    this.#peer.signal('doc.ack', { channel: this.#channel, count: this.#count, seq: this.#seq });
  }

  #send(write: (encoder: encoding.Encoder) => void): void {
    const encoder = encoding.createEncoder();
    encoding.writeVarUint(encoder, SYNC);
    write(encoder);
    this.#peer.sendBytes(this.#channel, encoding.toUint8Array(encoder));
  }
}

/** Throws ProtocolError on anything that is not one whole message. */
function readMessage(bytes: Uint8Array): SyncMessage {
  if (bytes.length > SYNC_MESSAGE_BYTES) throw new ProtocolError('sync message is too long');
  try {
    const decoder = decoding.createDecoder(bytes);
    const type = decoding.readVarUint(decoder);
    if (type === AWARENESS || type === QUERY_AWARENESS) return { kind: 'other' };
    if (type !== SYNC) throw new ProtocolError('unknown sync message');
    return readSync(decoder);
  } catch (thrown) {
    throw thrown instanceof ProtocolError ? thrown : new ProtocolError('malformed sync message');
  }
}

function readSync(decoder: decoding.Decoder): SyncMessage {
  const step = decoding.readVarUint(decoder);
  const payload = decoding.readVarUint8Array(decoder);
  if (step === sync.messageYjsSyncStep1) return { kind: 'state', vector: payload };
  if (step === sync.messageYjsSyncStep2) return { kind: 'update', step2: true, update: payload };
  if (step === sync.messageYjsUpdate) return { kind: 'update', step2: false, update: payload };
  throw new ProtocolError('unknown sync step');
}
