import * as Y from 'yjs';
import { EntryCipher } from '../../../shared/kernel/seal/entry-cipher.ts';
import type { FaultKind } from '../../../shared/kernel/seal/fault.ts';
import type { Keyring } from '../../../shared/kernel/seal/keyring.ts';
import { LogPlaces } from '../../../shared/kernel/seal/log-places.ts';
import { writerOf } from '../../../shared/kernel/seal/writer.ts';
import { FROM_ROOM } from '../../../shared/kernel/sync/doc-exchange.ts';
import { SealedSync } from '../../../shared/kernel/sync/sealed-sync.ts';
import { Peer } from '../../../shared/protocol/peer.ts';
import type { Args } from '../../../shared/syscalls/table.ts';
import { type Log, LogChannel } from '../../../sync-server/room/log-channel.ts';
import { wire } from '../../support/linked-peers.ts';
import { realClock } from '../../support/platform.ts';
import type { SeededRandom } from '../../support/seeded-random.ts';

export type ReplicaOptions = { keyring: Keyring; random: SeededRandom; remembers?: boolean };

/** One replica's copy of one document, and what it would have on its disk beside it. */
export class LogReplica {
  readonly id: string;
  readonly doc = new Y.Doc();
  readonly faults: FaultKind[] = [];
  readonly #document: string;
  readonly #remembers: boolean;
  #places = new LogPlaces(new Y.Doc());
  readonly #cipher: EntryCipher;
  #unconfirmed = false;
  #sync: SealedSync | null = null;
  #cut: () => void = () => {};
  #written = 0;

  /** One that does not remember forgets with each connection what it had read of the log. */
  constructor(id: string, document: string, { keyring, random, remembers = true }: ReplicaOptions) {
    this.id = id;
    this.#remembers = remembers;
    this.#document = document;
    this.#cipher = new EntryCipher(() => keyring, document, random);
    this.doc.on('update', (_update: Uint8Array, origin: unknown) => {
      if (origin !== FROM_ROOM) this.#unconfirmed = true;
    });
  }

  /** Whether a channel is open. It is not after a fault. */
  get connected(): boolean {
    return this.#sync !== null;
  }

  /** Nothing more is going to happen by itself. */
  get atRest(): boolean {
    return this.#sync === null || this.#sync.settled;
  }

  get rows(): Record<string, unknown> {
    return this.doc.getMap('rows').toJSON();
  }

  /** A row that nobody else writes, or one less. */
  write(random: SeededRandom): void {
    const rows = this.doc.getMap('rows');
    this.#written += 1;
    const own = [...rows.keys()].filter((key) => key.startsWith(`${this.id}/`));
    if (own.length > 3 && random.chance(0.2)) rows.delete(random.pick(own));
    else rows.set(`${this.id}/${this.#written}`, random.below(1_000_000));
  }

  /** Opens a channel of a log; an open one is cut. */
  connect(log: Log): void {
    this.disconnect();
    if (!this.#remembers) this.#places = new LogPlaces(new Y.Doc());
    const [nearEnd, farEnd] = wire();
    let channel: LogChannel | null = null;
    const far = new Peer(farEnd, 'accepting', realClock, {
      call: async ({ call, args }) => {
        if (call !== 'log.open') return { data: { closed: true } };
        const open = args as Args<'log.open'>;
        const use = { document: Promise.resolve(log), release: () => {} };
        channel = new LogChannel({ ...open, peer: far, use, onClosed: () => {} });
        return { data: { seq: await channel.start(open.since, open.hash) } };
      },
      bytes: (_channel, bytes) => {
        channel?.receive(bytes);
        return true;
      },
      signal: () => {},
      closed: () => channel?.close(),
    });
    const near: Peer = new Peer(nearEnd, 'connecting', realClock, {
      call: async () => ({}),
      bytes: (_channel, bytes) => {
        this.#sync?.receive(bytes);
        return true;
      },
      signal: ({ signal }) => {
        if (signal === 'doc.refused') this.disconnect();
      },
      closed: () => {},
    });
    this.#cut = () => near.close(1001, 'cut');
    this.#sync = this.#syncOver(near);
    this.#sync.start().catch(() => {});
  }

  disconnect(): void {
    this.#sync?.stop();
    this.#sync = null;
    this.#cut();
  }

  #syncOver(peer: Peer): SealedSync {
    const parts = {
      cipher: this.#cipher,
      writer: writerOf(this.id),
      known: async () => {},
      places: this.#places,
      unconfirmed: () => this.#unconfirmed,
    };
    return new SealedSync(peer, this.#document, this.doc, parts, {
      written: async () => {},
      changed: () => {
        if (this.#sync?.settled) this.#unconfirmed = false;
      },
      lacking: () => {
        this.#unconfirmed = true;
      },
      refused: () => this.disconnect(),
      fault: (kind) => this.faults.push(kind),
    });
  }
}
