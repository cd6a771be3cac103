import type { FaultKind } from '../../../shared/kernel/seal/fault.ts';
import type { Keys } from '../../../shared/kernel/seal/keys.ts';
import { BlobSync } from '../../../shared/kernel/sync/blob-sync.ts';
import { Outbox } from '../../../shared/kernel/sync/outbox.ts';
import type { RoomLink, RoomSession } from '../../../shared/kernel/sync/room-link.ts';
import type { Peer } from '../../../shared/protocol/peer.ts';
import { sha256Hex } from '../../../shared/std/bytes.ts';
import type { Clock } from '../../../shared/std/clock.ts';
import { MemoryBlobs } from '../../support/memory-blobs.ts';
import type { SeededRandom } from '../../support/seeded-random.ts';
import { quickDoc } from './quick-doc.ts';

const MOST_BYTES = 200;

export type ContentOptions = {
  clock: Clock;
  keys: Pick<Keys, 'keyring' | 'onChange'>;
  /** Hashes of the contents that this replica's files have. */
  referred(): readonly string[];
};

/** What came of reading: `forged` are other bytes than were asked for. */
export type Read = 'whole' | 'forged' | 'told' | 'not there';

/** One replica's contents, and what it would have on its disk of them. */
export class ContentReplica {
  readonly #options: ContentOptions;
  readonly #disk = new MemoryBlobs();
  readonly #blobs: BlobSync;
  readonly #healed: FaultKind[] = [];
  #connected: (session: RoomSession) => unknown = () => {};

  private constructor(options: ContentOptions, disk: MemoryBlobs, blobs: BlobSync) {
    this.#options = options;
    this.#disk = disk;
    this.#blobs = blobs;
  }

  static async open(options: ContentOptions): Promise<ContentReplica> {
    const { clock, keys } = options;
    const disk = new MemoryBlobs();
    const outbox = new Outbox(quickDoc(), clock);
    const blobs = await BlobSync.load({ store: disk, outbox, clock, keys, ready: async () => {} });
    const replica = new ContentReplica(options, disk, blobs);
    replica.#follow();
    return replica;
  }

  /** Everything that its person was told of. */
  get faults(): string[] {
    return [...this.#healed, ...this.#blobs.faults.list().map(({ words }) => words)];
  }

  /** Resolves with the hash of something new. */
  put(random: SeededRandom): Promise<string> {
    return this.#blobs.put(random.bytes(random.below(MOST_BYTES)));
  }

  has(hash: string): boolean {
    return this.#disk.stored.has(hash);
  }

  /** The link to a room is there. `claiming`: it may be another room than before. */
  connected(peer: Peer, ended: AbortSignal, claiming: boolean): void {
    this.#connected({ peer, ended, claiming, joined: () => {} });
  }

  async read(hash: string): Promise<Read> {
    try {
      const bytes = await this.#blobs.get(hash);
      if (!bytes) return 'not there';
      return (await sha256Hex(bytes)) === hash ? 'whole' : 'forged';
    } catch {
      return this.#blobs.faults.list().length > 0 ? 'told' : 'not there';
    }
  }

  /** Has the room hold everything under the newest key. */
  async reseal(): Promise<void> {
    const { keyring } = this.#options.keys;
    if (keyring) await this.#blobs.reseal({ keyring });
  }

  #follow(): void {
    const link: Pick<RoomLink, 'state' | 'onPeer'> = {
      state: { kind: 'online' },
      onPeer: (listener) => {
        this.#connected = listener;
      },
    };
    const { referred } = this.#options;
    const references = {
      referred,
      references: (hash: string) => referred().filter((other) => other === hash).length,
      collect: async (hashes: readonly string[]) => {
        for (const hash of hashes) await this.#blobs.delete(hash);
      },
    };
    this.#blobs.follow(link, references, () => {});
    this.#blobs.faults.onHealed(({ kind }) => this.#healed.push(kind));
  }
}
