import type { Static } from 'typebox';
import type * as Y from 'yjs';
import { messageOf } from '../../protocol/errors.ts';
import { CONTROL_DOC } from '../../state/control.ts';
import { EPOCHS_DOC } from '../../state/seal.ts';
import { FS_DOC, SYSTEM_DOC } from '../../state/system.ts';
import type { Clock } from '../../std/clock.ts';
import { Condition } from '../../std/condition.ts';
import { matches } from '../../std/matches.ts';
import type { Documents, Replicator } from '../documents.ts';
import { Backoff } from './backoff.ts';
import { type DocChannel, type DocExchange, type DocExchangeEvents, FROM_ROOM } from './doc-exchange.ts';
import { Ack, Refusal } from './doc-signals.ts';
import { exchangeOf } from './exchange-of.ts';
import { Faults } from './faults.ts';
import { OUTBOX_DOC, Outbox } from './outbox.ts';
import type { RoomLink, RoomSession } from './room-link.ts';
import type { Sealing } from './sealing.ts';
import { tellRemovals } from './tell-removals.ts';
import { writtenByAndBy } from './written-by-and-by.ts';

/** Documents that nobody has open are brought to the room this many at a time. */
const BACKGROUND = 8;
/** How long the first opening of a document waits for what the room has of it. */
const FIRST_OPEN_MS = 10_000;
/** Whoever shows how much is waiting is told at most this often. */
const TELL_MS = 100;
const REMOVAL = 'removal';
const FIRST = [CONTROL_DOC, EPOCHS_DOC, SYSTEM_DOC, FS_DOC];

type Entry = {
  readonly name: string;
  readonly doc: Y.Doc;
  sync: DocExchange | null;
  /** The room has ended the exchange and there is nothing to tell it. */
  ended: boolean;
};

type Open = { entry: Entry; channel: DocChannel };

/**
 * Keeps documents alike here and at the room while the link is up: those that are open, and those that hold changes
 * which the room has not confirmed. Invariant: what is not confirmed is in the outbox, on disk with the change itself.
 */
export class Replication implements Replicator {
  readonly outbox: Outbox;
  readonly #documents: Documents;
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();
  readonly #channels = new Map<number, Open>();
  readonly #background = new Set<string>();
  readonly #condition = new Condition();
  readonly #refused: Backoff;
  readonly #sealing: Sealing | null;
  /** What the room handed out and was not taken. */
  readonly faults: Faults;
  #session: RoomSession | null = null;
  #joined: () => boolean = () => false;
  /** Whether a document stays on this device alone. */
  #stays: (name: string) => boolean = () => false;
  #removing = false;
  #onChange: () => void = () => {};
  #cancelTell: (() => void) | null = null;

  private constructor(documents: Documents, outbox: Outbox, clock: Clock, sealing: Sealing | null) {
    this.outbox = outbox;
    this.#sealing = sealing;
    this.#documents = documents;
    this.#clock = clock;
    this.faults = Faults.ofDocuments(clock);
    this.#refused = new Backoff(clock, () => {
      void this.#sendRemovals();
      this.#sendAll();
    });
  }

  /**
   * Call it before any replicated document is opened. `sealing`: what the room keeps it cannot read. Rejects when
   * storage cannot be read.
   */
  static async open(
    documents: Documents,
    clock: Clock,
    sealing: Sealing | null = null,
  ): Promise<Replication> {
    const outbox = new Outbox(await documents.open(OUTBOX_DOC), clock);
    if (!outbox.kept) outbox.begin(await documents.replicated());
    // A kill between the mark and the removal. What was made anew since has changes of its own.
    for (const name of outbox.removals()) if (!outbox.has(name)) await documents.discard(name);
    const replication = new Replication(documents, outbox, clock, sealing);
    documents.replicate(replication);
    return replication;
  }

  /** `onChange`: `waiting` or `problem` may be another. */
  follow(room: RoomLink, onChange: () => void): void {
    this.#onChange = onChange;
    this.#joined = () => room.state.kind !== 'alone';
    room.onPeer((session) => this.#connected(session));
    room.onBytes((channel, bytes) => this.#receive(channel, bytes));
    room.onSignal('doc.ack', (payload) => {
      if (matches(Ack, payload)) this.#channels.get(payload.channel)?.channel.acknowledge(payload.count);
    });
    room.onSignal('doc.refused', (payload) => {
      if (!matches(Refusal, payload)) return;
      const open = this.#channels.get(payload.channel);
      if (open) this.#onRefused(open.entry, payload);
    });
  }

  /**
   * From here on, documents of which `stays` holds are told to nobody: nothing waits for the room because of them. Their
   * changes are in the outbox nevertheless, so that the room gets them when they may leave. What it has of them it keeps.
   */
  keepHere(stays: (name: string) => boolean): void {
    const before = this.#stays;
    this.#stays = (name) => before(name) || stays(name);
  }

  /** Which documents stay here, or how they are exchanged, is not as it was. */
  staysChanged(): void {
    for (const entry of this.#entries.values()) {
      entry.ended = false;
      this.#refused.succeeded(entry.name);
      const kind = this.#sealing?.kindOf(entry.name) ?? 'clear';
      if (!entry.sync || (!this.#stays(entry.name) && entry.sync.kind === kind)) continue;
      this.#detach(entry);
    }
    this.#sendAll();
    this.#changed();
  }

  /** Changes that the room has not confirmed as stored; 0 only when it has everything. */
  get waiting(): number {
    let waiting = this.outbox.removals().length;
    for (const name of this.outbox.names()) {
      if (this.#stays(name)) continue;
      const sync = this.#entries.get(name)?.sync;
      waiting += sync?.exchanging ? Math.max(1, sync.waiting) : this.outbox.count(name);
    }
    return waiting;
  }

  /** Names of the documents that are kept in step now. */
  get open(): string[] {
    return [...this.#entries.keys()];
  }

  /** Why the room does not take changes although it is there, for a person; null when it does. */
  get problem(): string | null {
    const [fault] = this.faults.list();
    if (fault) return fault.words;
    const { reason } = this.#refused;
    return reason === null ? null : `The server cannot store changes: ${reason}`;
  }

  /** Whether there is a room at all. */
  get joined(): boolean {
    return this.#joined();
  }

  /** Whether documents are exchanged with it now. */
  get connected(): boolean {
    return this.#session !== null;
  }

  /** Resolves when what the room has of an open document is here. Rejects with the signal's reason. */
  synced(name: string, signal: AbortSignal): Promise<void> {
    const here = (): boolean => this.#stays(name) || this.#entries.get(name)?.sync?.synced === true;
    return this.#condition.until(here, signal);
  }

  /** Resolves when the room has stored every change of these documents. Rejects with the signal's reason. */
  stored(names: readonly string[], signal?: AbortSignal): Promise<void> {
    const waits = (name: string): boolean => this.outbox.has(name) && !this.#stays(name);
    return this.#condition.until(() => !names.some(waits), signal);
  }

  /** Resolves when the room holds an open document under the newest key alone. Rejects with the signal's reason. */
  async resealed(name: string, signal: AbortSignal): Promise<void> {
    await this.synced(name, signal);
    const sync = this.#entries.get(name)?.sync;
    sync?.renew();
    const isOver = (): boolean => sync?.settled !== false || this.#entries.get(name)?.sync !== sync;
    await this.#condition.until(isOver, signal);
    if (sync?.settled === false) throw new Error(`${name} could not be sealed anew`);
  }

  stop(): void {
    this.outbox.stop();
    this.#refused.clear();
    this.#cancelTell?.();
  }

  async opened(name: string, doc: Y.Doc, known: boolean): Promise<void> {
    this.#end(name);
    const entry: Entry = { name, doc, sync: null, ended: false };
    this.#entries.set(name, entry);
    if (!this.#session || this.#stays(name)) return;
    void this.#start(entry, this.#session);
    if (known || !entry.sync) return;
    const late = new AbortController();
    const cancel = this.#clock.after(FIRST_OPEN_MS, () => late.abort());
    const arrived = (): boolean => entry.sync === null || entry.sync.synced;
    await this.#condition.until(arrived, late.signal).catch(() => {});
    cancel();
  }

  changed(name: string, origin: unknown): void {
    if (origin === FROM_ROOM) return;
    this.outbox.changed(name);
    const entry = this.#entries.get(name);
    if (entry?.ended) {
      entry.ended = false;
      this.#sendAll();
    }
    this.#tell();
  }

  closed(name: string): void {
    this.#end(name);
    // What it still holds goes on in the background.
    this.#sendAll();
  }

  removed(name: string): void {
    this.#end(name);
    this.#refused.succeeded(name);
    this.faults.clear(name);
    this.#sealing?.places.forget(name);
    if (this.#joined()) this.outbox.removed(name);
    else this.outbox.confirmed(name);
    void this.#sendRemovals();
  }

  /** Resolves when the `control` document's channel is open, so that who this is can be stored. */
  async #connected(session: RoomSession): Promise<void> {
    this.#session = session;
    session.ended.addEventListener('abort', () => this.#disconnected(session), { once: true });
    this.#refused.clear();
    if (session.claiming) this.outbox.begin(await this.#documents.replicated());
    const others = [...this.#entries.keys()].filter((name) => !FIRST.includes(name));
    const [control] = [...FIRST, ...others].map((name) => {
      const entry = this.#entries.get(name);
      return entry && this.#start(entry, session);
    });
    await control;
    void this.stored([CONTROL_DOC], session.ended).then(session.joined, () => {});
    void this.#sendRemovals();
    this.#sendAll();
  }

  #disconnected(session: RoomSession): void {
    if (this.#session !== session) return;
    this.#session = null;
    this.#channels.clear();
    this.#refused.clear();
    for (const entry of this.#entries.values()) {
      entry.sync?.stop();
      entry.sync = null;
      entry.ended = false;
    }
    for (const name of this.#background) void this.#documents.close(name);
    this.#background.clear();
    this.#changed();
  }

  /** Resolves when the room has answered. Never rejects. */
  async #start(entry: Entry, session: RoomSession): Promise<void> {
    // The room is first to forget what a document of this name once was.
    if (this.#session !== session || entry.sync || this.outbox.removing(entry.name)) return;
    if (this.#stays(entry.name)) return;
    const sync = this.#exchange(entry, session);
    entry.sync = sync;
    for (const channel of sync.channels) this.#channels.set(channel.channel, { entry, channel });
    await sync.start().catch((thrown) => {
      if (entry.sync === sync && !session.peer.closed) this.#onFailed(entry, messageOf(thrown));
    });
  }

  #exchange(entry: Entry, { peer, ended }: RoomSession): DocExchange {
    const { name, doc } = entry;
    const events: DocExchangeEvents = {
      written: (trying) => writtenByAndBy(this.#documents, this.#clock, ended, trying),
      changed: () => this.#onSync(entry),
      lacking: () => this.outbox.changed(name, 0),
      refused: (reason) => this.#onFailed(entry, reason),
      fault: (kind) => this.faults.note(name, kind),
    };
    return exchangeOf(this.#sealing, peer, { name, doc, events, unconfirmed: () => this.outbox.has(name) });
  }

  #end(name: string): void {
    const entry = this.#entries.get(name);
    if (!entry) return;
    this.#entries.delete(name);
    this.#detach(entry);
    this.#changed();
  }

  /** Brings documents that nobody has open to the room, and tries again what it refused a while ago. */
  #sendAll(): void {
    const session = this.#session;
    if (!session) return;
    for (const entry of this.#entries.values()) {
      if (!entry.ended && !entry.sync && !this.#refused.has(entry.name)) void this.#start(entry, session);
    }
    for (const name of this.outbox.names()) {
      if (this.#background.size >= BACKGROUND) return;
      if (this.#entries.has(name) || this.#background.has(name) || this.#refused.has(name)) continue;
      if (this.#stays(name)) continue;
      this.#background.add(name);
      this.#documents.open(name).catch((thrown) => {
        this.#background.delete(name);
        this.#refused.failed(name, messageOf(thrown));
      });
    }
  }

  #receive(channel: number, bytes: Uint8Array): boolean {
    const open = this.#channels.get(channel);
    open?.channel.receive(bytes);
    return open !== undefined;
  }

  #onSync(entry: Entry): void {
    if (entry.sync?.settled) {
      this.outbox.confirmed(entry.name);
      this.#refused.succeeded(entry.name);
      this.faults.clear(entry.name);
      if (entry.sync.synced) this.#leave(entry.name);
    }
    this.#changed();
  }

  /**
   * A change that was refused stays here and in the outbox. A document that is no more at the room is let be; of any other
   * there will be news, also where nothing of this replica's was refused.
   */
  #onRefused(entry: Entry, { reason, ended = true }: Static<typeof Refusal>): void {
    if (!ended || this.outbox.has(entry.name)) this.#onFailed(entry, reason);
    else {
      this.#detach(entry);
      entry.ended = true;
      this.#changed();
    }
  }

  /** The channel is opened anew by and by. */
  #onFailed(entry: Entry, reason: string): void {
    this.#detach(entry);
    this.#refused.failed(entry.name, reason);
    this.#leave(entry.name);
    this.#changed();
  }

  /** Where the room has ended one of its channels, others may be open still. */
  #detach(entry: Entry): void {
    for (const { channel } of entry.sync?.channels ?? []) this.#channels.delete(channel);
    entry.sync?.close();
    entry.sync = null;
  }

  /** Nothing more is to be done in the background for a document. */
  #leave(name: string): void {
    if (!this.#background.delete(name)) return;
    void this.#documents.close(name);
    this.#sendAll();
  }

  async #sendRemovals(): Promise<void> {
    const session = this.#session;
    if (!session || this.#removing || this.#refused.has(REMOVAL)) return;
    this.#removing = true;
    try {
      await tellRemovals(this.outbox, session.peer, () => {
        this.#refused.succeeded(REMOVAL);
        this.#sendAll();
        this.#changed();
      });
    } catch (thrown) {
      if (!session.peer.closed) this.#refused.failed(REMOVAL, messageOf(thrown));
    } finally {
      this.#removing = false;
    }
  }

  #changed(): void {
    this.#condition.changed();
    this.#tell();
  }

  #tell(): void {
    this.#cancelTell ??= this.#clock.after(TELL_MS, () => {
      this.#cancelTell = null;
      this.#onChange();
    });
  }
}
