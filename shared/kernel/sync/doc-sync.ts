import { createDecoder, readVarUint, readVarUint8Array } from 'lib0/decoding';
import { createEncoder, toUint8Array, writeVarUint, writeVarUint8Array } from 'lib0/encoding';
import { messageYjsSyncStep1, messageYjsSyncStep2, messageYjsUpdate } from 'y-protocols/sync';
import * as Y from 'yjs';
import type { Peer } from '../../protocol/peer.ts';
import { askRoom } from './ask-room.ts';
import { tooLong } from './too-long.ts';
import { updatePieces } from './update-pieces.ts';

/** Origin of the transactions that bring in what the room sent. */
export const FROM_ROOM = Symbol('from the room');

/** The outer message type of y-websocket's wire for sync messages. */
const SYNC = 0;
/** What is said at once; some hosts take no longer message. */
const PIECE_BYTES = 512 * 1024;
/** A room takes no longer sync message. */
const MESSAGE_BYTES = 16 * 1024 * 1024;
/** What may be on its way unconfirmed: the rest waits, so that a slow link still answers other calls in time. */
const WINDOW_BYTES = 2 * 1024 * 1024;

export type DocSyncEvents = {
  /** Resolves when everything changed until now is on this replica's disk. Must not reject. */
  written(): Promise<void>;
  /** Something was confirmed or arrived. */
  changed(): void;
  /** The room does not have all that is here. */
  lacking(): void;
  /** The exchange is over for a reason of the room; nothing more will be confirmed. */
  refused(reason: string): void;
};

/** Something to tell the room: a part of the answer to what it asked for, or an update. */
type Change = { kind: number; update: Uint8Array };

/**
 * One document over one channel of a room's link, in the messages that y-websocket speaks. Ends with the link.
 * Invariants:
 * 1. What is changed after the room asked for the state is sent as an update, what was changed before is in the answer.
 * 2. Nothing is sent that is not on this disk: a kill would make the replica forget what others know of it.
 */
export class DocSync {
  readonly channel: number;
  readonly #peer: Peer;
  readonly #doc: Y.Doc;
  readonly #name: string;
  readonly #events: DocSyncEvents;
  /** Messages that are on the disk and wait for their turn. */
  readonly #queue: Uint8Array[] = [];
  /** Changes that are not known to be on the disk, oldest first. */
  readonly #unwritten: Change[] = [];
  #writing = false;
  /** Lengths of the messages that are not confirmed, oldest first. */
  readonly #flying: number[] = [];
  #bytesFlying = 0;
  #confirmed = 0;
  #roomState: Map<number, number> | null = null;
  #arrived = false;
  #synced = false;
  #over = false;

  constructor(peer: Peer, name: string, doc: Y.Doc, events: DocSyncEvents) {
    this.#peer = peer;
    this.#doc = doc;
    this.#name = name;
    this.#events = events;
    this.channel = peer.streams.allocate();
  }

  /** Changes and messages that the room has not confirmed. */
  get waiting(): number {
    return this.#unwritten.length + this.#queue.length + this.#flying.length;
  }

  /** Whether the room has stored everything that is in the document. */
  get settled(): boolean {
    return this.#roomState !== null && this.waiting === 0;
  }

  /** Whether the room has asked for this document's state: from then on `waiting` counts all there is. */
  get exchanging(): boolean {
    return this.#roomState !== null;
  }

  /** Whether what the room had when the channel was opened is in the document. */
  get synced(): boolean {
    return this.#synced;
  }

  /** Opens the channel and begins to exchange. Rejects with SyscallError when the room refuses. */
  async start(): Promise<void> {
    const opened = askRoom(this.#peer, 'doc.open', { doc: this.#name, channel: this.channel });
    this.#say(messageYjsSyncStep1, Y.encodeStateVector(this.#doc));
    const { data } = await opened;
    if (data.seq === 0) this.#synced = true;
    if (!this.#over) this.#events.changed();
  }

  /** Says nothing more, and hears nothing. */
  stop(): void {
    this.#over = true;
    this.#doc.off('update', this.#onUpdate);
  }

  /** As `stop`, and tells the room. */
  close(): void {
    this.stop();
    askRoom(this.#peer, 'doc.close', { channel: this.channel }).catch(() => {});
  }

  /** One message of the room. Throws on bytes that are not a sync message. */
  receive(bytes: Uint8Array): void {
    if (this.#over) return;
    const decoder = createDecoder(bytes);
    if (readVarUint(decoder) !== SYNC) return;
    const kind = readVarUint(decoder);
    const payload = readVarUint8Array(decoder);
    if (kind === messageYjsSyncStep1) this.#answer(payload);
    else if (kind === messageYjsSyncStep2 || kind === messageYjsUpdate) this.#apply(kind, payload);
    else throw new Error('unknown sync message');
  }

  #apply(kind: number, payload: Uint8Array): void {
    this.#arrived ||= kind === messageYjsSyncStep2;
    Y.applyUpdate(this.#doc, payload, FROM_ROOM);
    if (!this.#synced) this.#see();
  }

  /** The room has stored this many of our messages. */
  acknowledge(count: number): void {
    while (this.#confirmed < count && this.#flying.length > 0) {
      this.#confirmed += 1;
      this.#bytesFlying -= this.#flying.shift() ?? 0;
    }
    this.#pump();
    this.#events.changed();
  }

  /** The room asks for what it lacks. */
  #answer(vector: Uint8Array): void {
    const missing = Y.encodeStateAsUpdate(this.#doc, vector);
    if (this.#roomState === null) this.#doc.on('update', this.#onUpdate);
    this.#roomState = Y.decodeStateVector(vector);
    if (!covers(this.#roomState, stateOf(this.#doc))) this.#events.lacking();
    this.#send(messageYjsSyncStep2, missing);
    if (!this.#synced && this.#arrived) this.#see();
    this.#events.changed();
  }

  /** The room's state may come in pieces: it is here when nothing is missing that the room said it had. */
  #see(): void {
    if (!this.#arrived || this.#roomState === null) return;
    this.#synced = covers(stateOf(this.#doc), this.#roomState);
    if (this.#synced) this.#events.changed();
  }

  readonly #onUpdate = (update: Uint8Array, origin: unknown): void => {
    if (origin !== FROM_ROOM) this.#send(messageYjsUpdate, update);
  };

  #send(kind: number, update: Uint8Array): void {
    this.#unwritten.push({ kind, update });
    if (!this.#writing) void this.#sendWritten();
  }

  /** What one write has brought to the disk goes out as one message. */
  async #sendWritten(): Promise<void> {
    this.#writing = true;
    // The rest of what is being done now shares the write.
    await Promise.resolve();
    while (this.#unwritten.length > 0 && !this.#over) {
      const { length } = this.#unwritten;
      await this.#events.written();
      this.#enqueue(this.#unwritten.splice(0, length));
      this.#pump();
    }
    this.#writing = false;
  }

  #enqueue(changes: readonly Change[]): void {
    const answers = changes.some(({ kind }) => kind === messageYjsSyncStep2);
    const pieces = updatePieces(merged(changes), PIECE_BYTES);
    if (pieces.some(({ length }) => length > MESSAGE_BYTES)) {
      this.stop();
      this.#events.refused(tooLong(this.#doc));
      return;
    }
    const kind = answers ? messageYjsSyncStep2 : messageYjsUpdate;
    this.#queue.push(...pieces.map((piece) => syncMessage(kind, piece)));
  }

  #pump(): void {
    while (!this.#over && this.#bytesFlying < WINDOW_BYTES) {
      const message = this.#queue.shift();
      if (!message) return;
      this.#flying.push(message.length);
      this.#bytesFlying += message.length;
      this.#peer.sendBytes(this.channel, message);
    }
  }

  #say(kind: number, payload: Uint8Array): void {
    this.#peer.sendBytes(this.channel, syncMessage(kind, payload));
  }
}

function merged(changes: readonly Change[]): Uint8Array {
  const [first, ...others] = changes;
  return first && others.length === 0 ? first.update : Y.mergeUpdates(changes.map(({ update }) => update));
}

function stateOf(doc: Y.Doc): Map<number, number> {
  return Y.decodeStateVector(Y.encodeStateVector(doc));
}

function covers(state: Map<number, number>, other: Map<number, number>): boolean {
  return [...other].every(([client, clock]) => (state.get(client) ?? 0) >= clock);
}

function syncMessage(kind: number, payload: Uint8Array): Uint8Array {
  const encoder = createEncoder();
  writeVarUint(encoder, SYNC);
  writeVarUint(encoder, kind);
  writeVarUint8Array(encoder, payload);
  return toUint8Array(encoder);
}
