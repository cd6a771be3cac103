import * as Y from 'yjs';
import type { Peer } from '../../protocol/peer.ts';
import { decodeHead } from '../seal/entry.ts';
import type { EntryCipher, OpenedEntry } from '../seal/entry-cipher.ts';
import { type FaultKind, SealFault } from '../seal/fault.ts';
import { type LogMessage, LogMessageReader, logMessages } from '../seal/log-message.ts';
import type { LogPlaces } from '../seal/log-places.ts';
import { LogReader } from '../seal/log-reader.ts';
import { LogWriter, type OwnEntry } from '../seal/log-writer.ts';
import type { OldKeys } from '../seal/old-keys.ts';
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
import { updatePieces } from './update-pieces.ts';

/** Messages that are opened at once. */
const BATCH = 64;
/** Entries that a log holds before they are replaced by a snapshot. */
export const SNAPSHOT_AFTER = 200;
/** One more for each of so many bytes: a large document is dear to send whole. */
const BYTES_PER_ENTRY = 20_000;
/** What of the document is in the log is noted again after so many entries of this replica. */
const NOTE_AFTER = 50;

export type SealedSyncParts = {
  cipher: EntryCipher;
  /** This replica, as entries name it. */
  writer: string;
  places: LogPlaces;
  /** Resolves when the key of an epoch is known, or is not to be expected soon. Must not reject. */
  known(epoch: number): Promise<void>;
  /** What browsers that were shut out can still make at this moment. */
  oldKeys(): OldKeys;
  /** Whether there are changes that the room may not have. */
  unconfirmed(): boolean;
};

/** An update to be sealed, an entry that is to be sent again as it was, or a snapshot of all there is. */
type Change =
  | { kind: 'update'; update: Uint8Array }
  | { kind: 'again'; own: OwnEntry }
  | { kind: 'snapshot' };
/** What was sent: an entry, or a snapshot (null). */
type Sent = { own: OwnEntry | null; frames: readonly Uint8Array[]; length: number };
/** `oldKeys` are those of its arrival: what came before it on the link counts, and nothing that came after. */
type Arrived = LogMessage & { oldKeys: OldKeys };
type Received = Arrived & { opened: OpenedEntry | SealFault | null };

/**
 * One document as a log of sealed entries over one channel of a room's link. What the room hands out is checked before
 * anything of it is taken; what fails ends the exchange, is told, and is read anew from the start of the log.
 */
export class SealedSync implements DocExchange, DocChannel {
  readonly channel: number;
  readonly channels = [this];
  readonly kind = 'sealed';
  readonly #peer: Peer;
  readonly #doc: Y.Doc;
  readonly #name: string;
  readonly #parts: SealedSyncParts;
  readonly #events: DocExchangeEvents;
  readonly #reader: LogReader;
  readonly #writer: LogWriter;
  readonly #messages = new LogMessageReader();
  readonly #queue: SendQueue<Change, Sent>;
  #incoming: Arrived[] = [];
  #taking = false;
  /** Whether everything that the log held when it was opened has been read. */
  #live = false;
  #over = false;
  /** The log lacks what it once had, or was found to be wrong: it is read from its start when it is opened next. */
  #lacking = false;
  /** Entries after the snapshot of the log, as far as this replica knows. */
  #sinceSnapshot = 0;
  #snapshotAfter = SNAPSHOT_AFTER;
  #sinceNote = 0;
  #unfollow: () => void = () => {};

  constructor(peer: Peer, name: string, doc: Y.Doc, parts: SealedSyncParts, events: DocExchangeEvents) {
    this.#peer = peer;
    this.#doc = doc;
    this.#name = name;
    this.#parts = parts;
    this.#events = events;
    this.channel = peer.streams.allocate();
    this.#reader = new LogReader(parts.places.get(name), parts.places.expected(name));
    this.#writer = new LogWriter(parts.cipher, parts.writer);
    this.#queue = new SendQueue({
      written: (trying) => events.written(trying),
      make: (changes) => this.#make(changes),
      send: ({ frames }) => {
        for (const frame of frames) peer.sendBytes(this.channel, frame);
      },
    });
  }

  get waiting(): number {
    return this.#queue.waiting;
  }

  get settled(): boolean {
    return this.#live && this.waiting === 0;
  }

  get exchanging(): boolean {
    return this.#live;
  }

  get synced(): boolean {
    return this.#live;
  }

  async start(): Promise<void> {
    const { seq, hash } = this.#reader.place;
    this.#parts.cipher.prepare();
    await askRoom(this.#peer, 'log.open', { doc: this.#name, channel: this.channel, since: seq, hash });
  }

  stop(): void {
    if (this.#over) return;
    if (this.settled && !this.#lacking) this.#noteBase();
    if (this.#live) this.#parts.places.setSent(this.#name, this.#unconfirmed());
    this.#over = true;
    this.#queue.stop();
    this.#unfollow();
  }

  close(): void {
    this.stop();
    askRoom(this.#peer, 'doc.close', { channel: this.channel }).catch(() => {});
  }

  renew(): void {
    this.#queue.add({ kind: 'snapshot' });
  }

  receive(bytes: Uint8Array): void {
    const message = this.#over ? undefined : this.#messages.read(bytes);
    if (!message) return;
    this.#incoming.push({ ...message, oldKeys: this.#parts.oldKeys() });
    if (!this.#taking) void this.#takeAll();
  }

  /** Nothing: what is stored is said on the channel, in the log's order. */
  acknowledge(): void {}

  async #takeAll(): Promise<void> {
    this.#taking = true;
    while (this.#incoming.length > 0 && !this.#over) {
      const batch = await Promise.all(this.#incoming.splice(0, BATCH).map((message) => this.#open(message)));
      if (!this.#over) this.#parts.places.together(() => this.#take(batch));
    }
    this.#taking = false;
  }

  async #open(message: Arrived): Promise<Received> {
    if (message.bytes.length === 0) return { ...message, opened: null };
    const opened = await this.#opened(message.bytes).catch((thrown) => {
      if (thrown instanceof SealFault) return thrown;
      throw thrown;
    });
    return { ...message, opened };
  }

  /** What is under a key that is still on its way here waits for it, and so does all that comes after. */
  async #opened(bytes: Uint8Array): Promise<OpenedEntry> {
    await this.#parts.known(decodeHead(bytes).epoch);
    return this.#parts.cipher.open(bytes);
  }

  /** What is good of a batch is taken in one change; how far the log has been read is written with it. */
  #take(batch: readonly Received[]): void {
    const wasLive = this.#live;
    const updates: Uint8Array[] = [];
    const lacking: SealFault[] = [];
    const fault = faultOf(() => {
      for (const message of batch) this.#read(message, updates, lacking);
    });
    this.#apply(updates);
    if (fault) this.#fail(fault.kind);
    else {
      // That it begins says nothing of what is in it.
      if (batch.some(({ kind }) => kind !== 'begin')) this.#notePlace();
      if (this.#live && !wasLive) this.#begin(lacking[0]);
      if (this.#sinceNote >= NOTE_AFTER && this.settled) this.#noteBase();
      this.#events.changed();
    }
  }

  #read(message: Received, updates: Uint8Array[], lacking: SealFault[]): void {
    const { kind, seq } = message;
    if (kind === 'stored') this.#confirmed(seq);
    else if (kind === 'snapshot' && this.#live) updates.push(...this.#replaced(seq, message));
    else if (kind === 'entry' || kind === 'snapshot') {
      const payload = this.#reader[kind](seq, this.#permitted(message));
      this.#sinceSnapshot += 1;
      if (payload) updates.push(payload);
    } else if (this.#live) throw new SealFault('order', 'The log was begun a second time');
    else if (kind === 'begin') this.#reader.begin(seq);
    else lacking.push(...this.#end(seq));
  }

  #end(seq: number): SealFault[] {
    const lacking = this.#reader.end(seq);
    this.#parts.places.met(this.#name);
    this.#live = true;
    return lacking ? [lacking] : [];
  }

  #confirmed(seq: number): void {
    const sent = this.#queue.next;
    if (!sent) throw new SealFault('order', 'Something was said to be stored that was not sent');
    if (sent.own) this.#stored(seq, sent.own);
    else {
      this.#lacking = false;
      this.#beginsAt(seq);
    }
    this.#queue.confirm();
  }

  #unconfirmed(): OwnEntry[] {
    return this.#queue.unconfirmed.flatMap(({ own }) => own ?? []);
  }

  #stored(seq: number, own: OwnEntry): void {
    this.#reader.stored(seq, own);
    this.#sinceNote += 1;
    this.#sinceSnapshot += 1;
    if (this.#sinceSnapshot >= this.#snapshotAfter) this.#offerSnapshot();
  }

  /** The log begins with a snapshot up to `seq` now, of somebody else. */
  #replaced(seq: number, message: Received): Uint8Array[] {
    this.#beginsAt(seq);
    const payload = message.opened ? this.#reader.putBack(this.#permitted(message)) : null;
    return payload ? [payload] : [];
  }

  /** Throws SealFault on what whoever was shut out has made since. */
  #permitted(message: Received): OpenedEntry {
    const opened = openedOf(message);
    if (message.oldKeys.made(opened.head) && this.#reader.isNews(opened))
      throw new SealFault('shut out', 'This is under a key from before');
    return opened;
  }

  #beginsAt(seq: number): void {
    this.#sinceSnapshot = Math.max(0, this.#reader.place.seq - seq);
  }

  /** An update that its writer could not have meant changes nothing, as at the room. */
  #apply(updates: readonly Uint8Array[]): void {
    const [first, ...more] = updates;
    if (first && more.length === 0) this.#applyOne(first);
    else if (first) {
      const applyAll = (): void => {
        for (const update of updates) this.#applyOne(update);
      };
      Y.transact(this.#doc, applyAll, FROM_ROOM, false);
    }
  }

  #applyOne(update: Uint8Array): void {
    try {
      takeIn(this.#doc, update, FROM_ROOM);
    } catch (thrown) {
      console.error(`A change of ${this.#name} could not be taken in`, thrown);
    }
  }

  /** Everything has been read: what is here alone goes out, all of it where no log ever was, and what the log lost is put back. */
  #begin(lacking: SealFault | undefined): void {
    const { places, unconfirmed: isUnconfirmed } = this.#parts;
    const sent = this.#writer.begin(this.#reader.heads, places.sent(this.#name));
    this.#unfollow = followUpdates(this.#doc, this.#onUpdate);
    const unconfirmed = isUnconfirmed();
    if (lacking) this.#putBack(lacking.kind);
    for (const own of sent) this.#queue.add({ kind: 'again', own });
    if (unconfirmed || this.#reader.heads.list().length === 0) this.#sendMissing();
    else if (!lacking) this.#noteBase();
  }

  /** Until the room has it, the log is not to be trusted to hold what was once confirmed. */
  #putBack(kind: FaultKind): void {
    this.#lacking = true;
    this.#notePlace();
    this.#events.fault(kind);
    this.#events.lacking();
    this.#queue.add({ kind: 'snapshot' });
  }

  #sendMissing(): void {
    const missing = Y.encodeStateAsUpdate(this.#doc, this.#parts.places.base(this.#name));
    if (!isEmpty(missing)) this.#queue.add({ kind: 'update', update: missing });
  }

  readonly #onUpdate = (update: Uint8Array, origin: unknown): void => {
    if (origin !== FROM_ROOM) this.#queue.add({ kind: 'update', update });
  };

  /** The snapshot first: what was put back is what the entries follow. */
  async #make(changes: readonly Change[]): Promise<Sent[]> {
    const updates = changes.flatMap((change) => (change.kind === 'update' ? change.update : []));
    const again = changes.flatMap((change) =>
      change.kind === 'again' ? sending('entry', 0, change.own) : [],
    );
    const isLong = changes.some(({ kind }) => kind === 'snapshot');
    const sent = isLong ? [await this.#makeSnapshot(), ...again] : again;
    for (const piece of updates.length > 0 ? updatePieces(Y.mergeUpdates(updates), PIECE_BYTES) : []) {
      sent.push(sending('entry', 0, await this.#writer.entry(piece, this.#reader.heads)));
    }
    return sent;
  }

  async #makeSnapshot(): Promise<Sent> {
    const { seq, heads } = this.#reader.place;
    const sealing = this.#writer.snapshot(Y.encodeStateAsUpdate(this.#doc), heads);
    // What was changed meanwhile is in it, too.
    await this.#events.written();
    const { bytes } = await sealing;
    return sending('snapshot', seq, { bytes });
  }

  /** Whoever wrote the entry that makes a log too long replaces it, once the document is worth it. */
  #offerSnapshot(): void {
    const { length } = Y.encodeStateAsUpdate(this.#doc);
    this.#snapshotAfter = SNAPSHOT_AFTER + length / BYTES_PER_ENTRY;
    if (this.#sinceSnapshot < this.#snapshotAfter) return;
    this.#sinceSnapshot = 0;
    this.#queue.add({ kind: 'snapshot' });
  }

  #notePlace(): void {
    const { places } = this.#parts;
    places.put(this.#name, this.#reader.place);
    if (this.#lacking) places.doubt(this.#name);
  }

  #noteBase(): void {
    this.#sinceNote = 0;
    this.#parts.places.setBase(this.#name, Y.encodeStateVector(this.#doc));
  }

  /** Until the whole log has been read anew and found to be good, nothing more is taken of it. */
  #fail(kind: FaultKind): void {
    this.#lacking = true;
    this.#notePlace();
    this.close();
    this.#events.fault(kind);
    this.#events.refused('what it gave out was not taken');
  }
}

function openedOf({ opened }: Received): OpenedEntry {
  if (opened instanceof SealFault) throw opened;
  if (!opened) throw new SealFault('foreign', 'An entry without contents was given out');
  return opened;
}

function faultOf(run: () => void): SealFault | null {
  try {
    run();
    return null;
  } catch (thrown) {
    if (thrown instanceof SealFault) return thrown;
    throw thrown;
  }
}

function sending(kind: 'entry' | 'snapshot', seq: number, written: OwnEntry | { bytes: Uint8Array }): Sent {
  const { bytes } = written;
  return {
    own: 'n' in written ? written : null,
    frames: logMessages(kind, seq, bytes),
    length: bytes.length,
  };
}

/** No structs and no deletions. */
function isEmpty(update: Uint8Array): boolean {
  return update.length === 2 && update[0] === 0 && update[1] === 0;
}
