import * as Y from 'yjs';
import { SyscallError } from '../../protocol/errors.ts';
import type { Peer } from '../../protocol/peer.ts';
import { decodeHead, NO_HASH } from '../seal/entry.ts';
import type { OpenedEntry } from '../seal/entry-cipher.ts';
import { SealFault } from '../seal/fault.ts';
import type { Heads } from '../seal/heads.ts';
import { type LogMessage, LogMessageReader, logMessages } from '../seal/log-message.ts';
import { LogWriter, type OwnEntry } from '../seal/log-writer.ts';
import { askRoom } from './ask-room.ts';
import { type DocChannel, type DocExchange, type DocExchangeEvents, FROM_ROOM } from './doc-exchange.ts';
import type { SealedSyncParts } from './sealed-sync.ts';

/** A change of nothing. */
const NO_NEWS = Y.encodeStateAsUpdate(new Y.Doc());

export type LogRepairParts = Omit<SealedSyncParts, 'unconfirmed'> & {
  /** How it ended; null when the room holds what is here. Called once. */
  over(failure: SyscallError | null): void;
};

/**
 * Puts a snapshot of what is here in the place of a log that nobody can read from its start any more. What can be read
 * of the log is taken first, and what cannot is passed over: it is not needed when everything that comes after it is
 * known here or follows what is. A log of which something is missing here is not replaced.
 */
export class LogRepair implements DocExchange, DocChannel {
  readonly channel: number;
  readonly channels = [this];
  readonly kind = 'repair';
  /** The room has nothing of it for as long as this goes on. */
  readonly waiting = 1;
  readonly settled = false;
  readonly exchanging = false;
  readonly synced = false;
  readonly #peer: Peer;
  readonly #name: string;
  readonly #doc: Y.Doc;
  readonly #parts: LogRepairParts;
  readonly #events: DocExchangeEvents;
  readonly #heads: Heads;
  readonly #messages = new LogMessageReader();
  #taken: Promise<void> = Promise.resolve();
  readonly #writer: LogWriter;
  #marked: OwnEntry | null = null;
  /** That stand after the snapshot of the log. */
  #entries = 0;
  #lacks = false;
  #over = false;

  constructor(peer: Peer, name: string, doc: Y.Doc, parts: LogRepairParts, events: DocExchangeEvents) {
    this.#peer = peer;
    this.#name = name;
    this.#doc = doc;
    this.#parts = parts;
    this.#events = events;
    this.channel = peer.streams.allocate();
    this.#heads = parts.places.get(name).heads;
    this.#writer = new LogWriter(parts.cipher, parts.writer);
  }

  async start(): Promise<void> {
    const whole = { since: 0, hash: NO_HASH };
    await askRoom(this.#peer, 'log.open', { doc: this.#name, channel: this.channel, ...whole });
  }

  stop(): void {
    this.#end(new SyscallError(503, 'The server did not take it', { retryable: true }));
  }

  close(): void {
    this.stop();
    askRoom(this.#peer, 'doc.close', { channel: this.channel }).catch(() => {});
  }

  renew(): void {}

  acknowledge(): void {}

  receive(bytes: Uint8Array): void {
    const message = this.#over ? undefined : this.#messages.read(bytes);
    if (message) this.#taken = this.#taken.then(() => this.#take(message));
  }

  async #take({ kind, seq, bytes }: LogMessage): Promise<void> {
    if (this.#over) return;
    if (kind === 'end') await this.#all(seq);
    else if (kind === 'stored' && this.#marked) await this.#markedAt(seq, this.#marked);
    else if (kind === 'stored') this.#end(null);
    else if (bytes.length > 0) await this.#read(kind, bytes);
  }

  async #read(kind: LogMessage['kind'], bytes: Uint8Array): Promise<void> {
    this.#entries += kind === 'entry' ? 1 : 0;
    try {
      await this.#parts.known(decodeHead(bytes).epoch);
      const opened = await this.#parts.cipher.open(bytes);
      // What whoever was shut out made is part of the log that is replaced, and of nothing else.
      const isTaken = !this.#parts.oldKeys().made(opened.head);
      if (this.#isNews(opened) && isTaken) Y.applyUpdate(this.#doc, opened.payload, FROM_ROOM);
    } catch (thrown) {
      // What nobody wrote, or wrote otherwise than is known here, is what is to be replaced.
      if (!(thrown instanceof SealFault)) throw thrown;
      this.#lacks ||= thrown.kind === 'gap';
    }
  }

  #isNews(opened: OpenedEntry): boolean {
    if (opened.head.mode === 'snapshot') {
      const beyond = this.#heads.beyond(opened.head.witnesses);
      this.#heads.cover(beyond);
      return beyond.length > 0;
    }
    const isNext = this.#heads.standing(opened) === 'next';
    if (isNext) this.#heads.follow(opened);
    return isNext;
  }

  async #all(seq: number): Promise<void> {
    const where = 'Another browser has changes that are not here; do it in that one';
    const { places } = this.#parts;
    if (this.#lacks || !this.#heads.reach(places.expected(this.#name)))
      this.#end(new SyscallError(409, where));
    else if (this.#entries > 0) await this.#replace(seq);
    else await this.#mark();
  }

  /** An entry without news: a log that is a snapshot alone takes no other one in its place. */
  async #mark(): Promise<void> {
    this.#writer.begin(this.#heads, []);
    this.#marked = await this.#writer.entry(NO_NEWS, this.#heads);
    this.#send('entry', 0, this.#marked.bytes);
  }

  async #markedAt(seq: number, { writer, n, previous, hash }: OwnEntry): Promise<void> {
    this.#marked = null;
    this.#heads.follow({ head: { writer, n, previous, witnesses: [] }, hash });
    await this.#replace(seq);
  }

  async #replace(seq: number): Promise<void> {
    // It is read from its start when it is opened next.
    this.#parts.places.put(this.#name, { seq: 0, hash: NO_HASH, heads: this.#heads });
    const state = Y.encodeStateAsUpdate(this.#doc);
    await this.#events.written();
    this.#send('snapshot', seq, (await this.#writer.snapshot(state, this.#heads)).bytes);
  }

  #send(kind: 'entry' | 'snapshot', seq: number, bytes: Uint8Array): void {
    for (const frame of logMessages(kind, seq, bytes)) this.#peer.sendBytes(this.channel, frame);
  }

  #end(failure: SyscallError | null): void {
    if (this.#over) return;
    this.#over = true;
    this.#parts.over(failure);
  }
}
