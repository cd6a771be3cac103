import { EntryCipher } from '../../../shared/kernel/seal/entry-cipher.ts';
import type { FaultKind } from '../../../shared/kernel/seal/fault.ts';
import { LogPlaces } from '../../../shared/kernel/seal/log-places.ts';
import { OldKeys } from '../../../shared/kernel/seal/old-keys.ts';
import { writerOf } from '../../../shared/kernel/seal/writer.ts';
import { FROM_ROOM } from '../../../shared/kernel/sync/doc-exchange.ts';
import { SealedSync } from '../../../shared/kernel/sync/sealed-sync.ts';
import { Peer, type Reply } from '../../../shared/protocol/peer.ts';
import type { Args } from '../../../shared/syscalls/table.ts';
import { type Log, LogChannel } from '../../../sync-server/room/log-channel.ts';
import { wire } from '../../support/linked-peers.ts';
import type { ManualClock } from '../../support/manual-clock.ts';
import { realClock } from '../../support/platform.ts';
import type { SeededRandom } from '../../support/seeded-random.ts';
import { ContentReplica } from './content-replica.ts';
import type { HostileContents } from './hostile-contents.ts';
import { quickDoc } from './quick-doc.ts';
import type { SharedKeys } from './shared-keys.ts';

/** How many of the rows name contents. */
const CONTENTS = 0.2;

export type ReplicaOptions = {
  keys: SharedKeys;
  random: SeededRandom;
  clock: ManualClock;
  /** Whether it goes on from what it knew of a log. One that does not forgets that with each connection. */
  remembers: boolean;
};

/** A room as one replica sees it. `claiming`: it may be another one than before. */
export type SeenRoom = { log: Log; contents: HostileContents; claiming: boolean };

/** One replica's copy of one document and of the contents that its rows name, and what it would have on its disk beside it. */
export class LogReplica {
  readonly id: string;
  readonly doc = quickDoc();
  readonly #faults: FaultKind[] = [];
  readonly #document: string;
  readonly #remembers: boolean;
  #places = new LogPlaces(quickDoc());
  readonly #cipher: EntryCipher;
  #unconfirmed = false;
  #sync: SealedSync | null = null;
  #cut: () => void = () => {};
  #written = 0;
  /** Calls about contents that the room is answering. */
  #asked = 0;
  #contents!: ContentReplica;

  private constructor(id: string, document: string, { keys, random, remembers }: ReplicaOptions) {
    this.id = id;
    this.#remembers = remembers;
    this.#document = document;
    this.#cipher = new EntryCipher(() => keys.keyring, document, random);
    this.doc.on('update', (_update: Uint8Array, origin: unknown) => {
      if (origin !== FROM_ROOM) this.#unconfirmed = true;
    });
  }

  static async open(id: string, document: string, options: ReplicaOptions): Promise<LogReplica> {
    const replica = new LogReplica(id, document, options);
    replica.#contents = await ContentReplica.open({ ...options, referred: () => replica.named });
    return replica;
  }

  get contents(): ContentReplica {
    return this.#contents;
  }

  /** It was let in by another, which told it how far it had read. */
  invitedBy(other: LogReplica): void {
    this.#places.expect(this.#document, other.#places.get(this.#document).heads.list());
  }

  /** Everything that its person was told of. */
  get faults(): string[] {
    return [...this.#faults, ...this.#contents.faults];
  }

  get told(): boolean {
    return this.faults.length > 0;
  }

  /** Whether a channel is open. It is not after a fault. */
  get connected(): boolean {
    return this.#sync !== null;
  }

  /** Whether the room is answering about contents. */
  get asking(): boolean {
    return this.#asked > 0;
  }

  /** Nothing more is going to happen by itself. */
  get atRest(): boolean {
    return !this.asking && (this.#sync === null || this.#sync.settled);
  }

  get rows(): Record<string, unknown> {
    return this.doc.getMap('rows').toJSON();
  }

  /** Hashes of the contents that its rows name. */
  get named(): string[] {
    return Object.values(this.rows).filter((value) => typeof value === 'string');
  }

  /** A row that nobody else writes, or one less. */
  async write(random: SeededRandom, contents = CONTENTS): Promise<void> {
    const rows = this.doc.getMap('rows');
    this.#written += 1;
    const own = [...rows.keys()].filter((key) => key.startsWith(`${this.id}/`));
    if (own.length > 3 && random.chance(0.2)) rows.delete(random.pick(own));
    else rows.set(`${this.id}/${this.#written}`, await this.#value(random, contents));
  }

  /** Opens a channel of a room's log, and tells it of contents; an open one is cut. */
  connect({ log, contents, claiming }: SeenRoom): void {
    this.disconnect();
    if (!this.#remembers) this.#places = new LogPlaces(quickDoc());
    const [nearEnd, farEnd] = wire();
    let channel: LogChannel | null = null;
    const far = new Peer(farEnd, 'accepting', realClock, {
      call: async (incoming) => {
        const { call, args } = incoming;
        if (call.startsWith('blob.')) return this.#counted(contents.answer(incoming));
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
        if (signal === 'doc.refused') this.#endSync();
      },
      closed: () => {},
    });
    const ended = new AbortController();
    this.#cut = () => {
      ended.abort();
      near.close(1001, 'cut');
    };
    this.#sync = this.#syncOver(near);
    this.#sync.start().catch(() => {});
    this.#contents.connected(near, ended.signal, claiming);
  }

  disconnect(): void {
    this.#endSync();
    this.#cut();
  }

  /** A number, or the name of something new that a file might hold. */
  async #value(random: SeededRandom, contents: number): Promise<number | string> {
    return random.chance(contents) ? this.#contents.put(random) : random.below(1_000_000);
  }

  async #counted(answer: Promise<Reply>): Promise<Reply> {
    this.#asked += 1;
    return answer.finally(() => {
      this.#asked -= 1;
    });
  }

  #endSync(): void {
    this.#sync?.stop();
    this.#sync = null;
  }

  #syncOver(peer: Peer): SealedSync {
    const parts = {
      cipher: this.#cipher,
      writer: writerOf(this.id),
      known: async () => {},
      places: this.#places,
      oldKeys: () => OldKeys.none,
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
      refused: () => this.#endSync(),
      fault: (kind) => this.#faults.push(kind),
    });
  }
}
