import { createDecoder, readVarUint, readVarUint8Array } from 'lib0/decoding';
import { createEncoder, toUint8Array, writeVarUint, writeVarUint8Array } from 'lib0/encoding';
import { messageYjsSyncStep1, messageYjsSyncStep2, messageYjsUpdate } from 'y-protocols/sync';
import * as Y from 'yjs';
import type { Peer } from '../../protocol/peer.ts';
import { followUpdates, takeIn } from '../updates.ts';
import { askRoom } from './ask-room.ts';
import {
  type DocChannel,
  type DocExchange,
  type DocExchangeEvents,
  FROM_ROOM,
  PIECE_BYTES,
} from './doc-exchange.ts';
import { SendQueue } from './send-queue.ts';
import { tooLong } from './too-long.ts';
import { updatePieces } from './update-pieces.ts';

/** The outer message type of y-websocket's wire for sync messages. */
const SYNC = 0;
/** A room takes no longer sync message. */
const MESSAGE_BYTES = 16 * 1024 * 1024;

/** Something to tell the room: a part of the answer to what it asked for, or an update. */
type Change = { kind: number; update: Uint8Array };

/**
 * One document over one channel of a room's link, in the messages that y-websocket speaks. Ends with the link.
 * Invariants:
 * 1. What is changed after the room asked for the state is sent as an update, what was changed before is in the answer.
 * 2. Nothing is sent that is not on this disk: a kill would make the replica forget what others know of it.
 */
export class DocSync implements DocExchange, DocChannel {
  readonly channel: number;
  readonly channels = [this];
  readonly kind: 'clear' | 'aside';
  readonly #peer: Peer;
  readonly #doc: Y.Doc;
  /** Takes in what the room has; null: nobody does. */
  readonly #taking: Y.Doc | null;
  readonly #name: string;
  readonly #events: DocExchangeEvents;
  readonly #queue: SendQueue<Change, Uint8Array>;
  #confirmed = 0;
  #roomState: Map<number, number> | null = null;
  #arrived = false;
  #synced = false;
  #over = false;
  #unfollow: () => void = () => {};

  /** `taking`: what takes in what the room has, in place of the document; null when nothing does. */
  constructor(
    peer: Peer,
    { name, doc, taking = doc }: { name: string; doc: Y.Doc; taking?: Y.Doc | null },
    events: DocExchangeEvents,
  ) {
    this.kind = taking === doc ? 'clear' : 'aside';
    this.#peer = peer;
    this.#doc = doc;
    this.#taking = taking;
    this.#name = name;
    this.#events = events;
    this.channel = peer.streams.allocate();
    this.#queue = new SendQueue({
      written: (trying) => events.written(trying),
      make: (changes) => this.#make(changes),
      send: (message) => peer.sendBytes(this.channel, message),
    });
  }

  get waiting(): number {
    return this.#queue.waiting;
  }

  get settled(): boolean {
    return this.#roomState !== null && this.waiting === 0;
  }

  /** Whether the room has asked for this document's state: from then on `waiting` counts all there is. */
  get exchanging(): boolean {
    return this.#roomState !== null;
  }

  get synced(): boolean {
    return this.#synced;
  }

  async start(): Promise<void> {
    const opened = askRoom(this.#peer, 'doc.open', { doc: this.#name, channel: this.channel });
    if (this.#taking) this.#say(messageYjsSyncStep1, Y.encodeStateVector(this.#taking));
    const { data } = await opened;
    if (data.seq === 0 || !this.#taking) this.#synced = true;
    if (!this.#over) this.#events.changed();
  }

  stop(): void {
    this.#over = true;
    this.#queue.stop();
    this.#unfollow();
  }

  close(): void {
    this.stop();
    askRoom(this.#peer, 'doc.close', { channel: this.channel }).catch(() => {});
  }

  /** Nothing of it is under a key. */
  renew(): void {}

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
    if (this.#taking) takeIn(this.#taking, payload, FROM_ROOM);
    if (!this.#synced) this.#see();
  }

  acknowledge(count: number): void {
    while (this.#confirmed < count && this.#queue.confirm()) this.#confirmed += 1;
    this.#events.changed();
  }

  /** The room asks for what it lacks. */
  #answer(vector: Uint8Array): void {
    const missing = Y.encodeStateAsUpdate(this.#doc, vector);
    if (this.#roomState === null) this.#unfollow = followUpdates(this.#doc, this.#onUpdate);
    this.#roomState = Y.decodeStateVector(vector);
    if (!covers(this.#roomState, stateOf(this.#doc))) this.#events.lacking();
    this.#queue.add({ kind: messageYjsSyncStep2, update: missing });
    if (!this.#synced && this.#arrived) this.#see();
    this.#events.changed();
  }

  /** The room's state may come in pieces: it is here when nothing is missing that the room said it had. */
  #see(): void {
    if (!this.#arrived || this.#roomState === null || !this.#taking) return;
    this.#synced = covers(stateOf(this.#taking), this.#roomState);
    if (this.#synced) this.#events.changed();
  }

  readonly #onUpdate = (update: Uint8Array, origin: unknown): void => {
    if (origin !== FROM_ROOM) this.#queue.add({ kind: messageYjsUpdate, update });
  };

  #make(changes: readonly Change[]): Uint8Array[] {
    const answers = changes.some(({ kind }) => kind === messageYjsSyncStep2);
    const pieces = updatePieces(merged(changes), PIECE_BYTES);
    if (pieces.some(({ length }) => length > MESSAGE_BYTES)) {
      this.stop();
      this.#events.refused(tooLong(this.#doc));
      return [];
    }
    const kind = answers ? messageYjsSyncStep2 : messageYjsUpdate;
    return pieces.map((piece) => syncMessage(kind, piece));
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
