import type { Log } from '../../../sync-server/room/log-channel.ts';
import type { LogListener, LogReading } from '../../../sync-server/room/sealed-log.ts';
import type { SeededRandom } from '../../support/seeded-random.ts';
import { flipped } from './flipped.ts';

type Snapshot = { seq: number; bytes: Uint8Array };
type Copy = { snapshot: Snapshot | null; entries: Uint8Array[] };
/** One end of a channel: what it is told, and what it gives as the origin of what it adds. */
type Reader = { listener: LogListener };

/** What a hostile room does to one log. */
export const logAttacks = [
  'flip',
  'swap',
  'replay',
  'reorder',
  'withhold',
  'truncate',
  'roll back',
  'forget',
  'hide',
  'clear',
  'pass off',
] as const;
export type LogAttack = (typeof logAttacks)[number];

const EMPTY = new Uint8Array();

/** A log without any of the room's checks, whose keeper does with it what it likes. */
export class HostileLog {
  readonly #readers = new Set<Reader>();
  #snapshot: Snapshot | null = null;
  #entries: Uint8Array[] = [];
  readonly #copies: Copy[] = [];
  /** `drop`: says that it has stored entries, and does not; `hide`: keeps them from those who are there. */
  #mode: 'as a room does' | 'drop' | 'hide' = 'as a room does';
  /** Goes on from whatever a replica says that it has read. */
  brazen = false;

  get first(): number {
    return this.#snapshot?.seq ?? 0;
  }

  get seq(): number {
    return this.first + this.#entries.length;
  }

  /** As one channel sees it. */
  view(): Log {
    const self = this;
    let own: Reader | null = null;
    return {
      get first() {
        return self.first;
      },
      get seq() {
        return self.seq;
      },
      listen: (listener) => {
        const reader = { listener };
        own = reader;
        self.#readers.add(reader);
        return () => self.#readers.delete(reader);
      },
      readingAfter: async (seq) => () => self.#reading(seq),
      add: async (bytes, origin) => self.#add(bytes, own, origin),
      replace: async (seq, bytes) => self.#replace(seq, bytes),
    };
  }

  #reading(seq: number): LogReading {
    const goesOn = seq > 0 && seq >= this.first && (this.brazen || seq <= this.seq);
    if (!goesOn) return { after: 0, snapshot: this.#snapshot, entries: this.#entries };
    return { after: seq, snapshot: null, entries: this.#entries.slice(seq - this.first) };
  }

  #add(bytes: Uint8Array, own: Reader | null, origin: unknown): number {
    const seq = this.seq + 1;
    if (this.#mode !== 'drop') this.#entries.push(bytes);
    for (const reader of this.#readers) {
      if (this.#mode === 'as a room does' || reader === own) reader.listener.added(seq, bytes, origin);
    }
    return seq;
  }

  #replace(seq: number, bytes: Uint8Array): void {
    if (seq < this.first || seq > this.seq) return;
    this.copy();
    this.#entries = this.#entries.slice(seq - this.first);
    this.#snapshot = { seq, bytes };
  }

  /** Keeps what there is, to give it out again later. */
  copy(): void {
    this.#copies.push({ snapshot: this.#snapshot, entries: [...this.#entries] });
  }

  attack(attack: LogAttack, random: SeededRandom, other: HostileLog): void {
    const at = random.below(Math.max(1, this.#entries.length - 1));
    const acts: Record<LogAttack, () => void> = {
      flip: () => this.#entries.splice(at, 1, flipped(this.#entries[at], random)),
      swap: () => this.#entries.splice(at, 1, other.#entries[at] ?? EMPTY),
      replay: () => this.#tell(this.#entries[at]),
      reorder: () => this.#entries.splice(at, 2, ...this.#entries.slice(at, at + 2).reverse()),
      withhold: () => this.#entries.splice(at, 1),
      truncate: () => this.#entries.splice(at),
      'roll back': () => this.#restore(random.pick([...this.#copies, { snapshot: null, entries: [] }])),
      forget: () => {
        this.#mode = 'drop';
      },
      hide: () => {
        this.#mode = 'hide';
      },
      clear: () => this.#restore({ snapshot: null, entries: [] }),
      'pass off': () => this.#passOff(),
    };
    acts[attack]();
  }

  /** Gives out something old as if it were new. */
  #tell(bytes: Uint8Array = EMPTY): void {
    this.#entries.push(bytes);
    for (const { listener } of this.#readers) listener.added(this.seq, bytes, this);
  }

  #restore({ snapshot, entries }: Copy): void {
    this.#snapshot = snapshot;
    this.#entries = [...entries];
  }

  /** An entry in the place of a snapshot. */
  #passOff(): void {
    const [bytes, ...others] = this.#entries;
    if (!bytes) return;
    this.#snapshot = { seq: this.first + 1, bytes };
    this.#entries = others;
  }
}
