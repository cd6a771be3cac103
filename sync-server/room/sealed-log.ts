import { decodeHead, type EntryHead, NO_HASH } from '../../shared/kernel/seal/entry.ts';
import { SealFault } from '../../shared/kernel/seal/fault.ts';
import { Heads, type Placed } from '../../shared/kernel/seal/heads.ts';
import { ProtocolError, SyscallError } from '../../shared/protocol/errors.ts';
import { concatBytes, fromHex, sha256Hex, toHex } from '../../shared/std/bytes.ts';
import type { RoomStorage } from './storage.ts';
import { WriteQueue, type Written } from './write-queue.ts';

/** The first byte of what is stored: an entry, or a snapshot after the hash of the last entry that it replaced. */
const ENTRY = 0;
const SNAPSHOT = 1;
const HASH_BYTES = 32;

type Snapshot = { seq: number; bytes: Uint8Array; replaced: string };
type Added = { bytes: Uint8Array; origin: unknown };

export type LogListener = {
  /** An entry stands in the log. `origin` is what was given to `add`. Told in the log's order. */
  added(seq: number, bytes: Uint8Array, origin: unknown): void;
  /**
   * A snapshot stands in place of everything up to `seq`. `bytes` when there is more in it than there was in the log:
   * what a server lost, put back. `origin` is what was given to `replace`.
   */
  replaced(seq: number, bytes: Uint8Array | null, origin: unknown): void;
  /** The log is no more. */
  ended(reason: string): void;
};

/** What a replica has to read to know a log: the snapshot is null when it goes on where it was. */
export type LogReading = {
  /** Entries follow this one. */
  after: number;
  snapshot: Pick<Snapshot, 'seq' | 'bytes'> | null;
  entries: readonly Uint8Array[];
};

/**
 * The room's log of one sealed document. It reads nothing but what stands in the clear before each payload. Invariants:
 * 1. An entry is passed on only after it is stored, and each follows its writer's one before it by number and hash: an
 *    old connection's entries cannot come between those of a new one.
 * 2. A snapshot replaces entries only when its heads cover theirs.
 */
export class SealedLog {
  readonly name: string;
  readonly #storage: RoomStorage;
  readonly #queue: WriteQueue<Added>;
  readonly #listeners = new Set<LogListener>();
  #snapshot: Snapshot | null = null;
  /** Those after the snapshot, oldest first. */
  #entries: Uint8Array[] = [];
  #heads = new Heads();
  #seq = 0;

  private constructor(storage: RoomStorage, name: string) {
    this.#storage = storage;
    this.name = name;
    this.#queue = new WriteQueue({
      turn: () => storage.turn(),
      write: (batch) => this.#write(batch),
      after: async () => {},
    });
  }

  /** Rejects when it cannot be read. */
  static async load(storage: RoomStorage, name: string): Promise<SealedLog> {
    const log = new SealedLog(storage, name);
    const { seq, updates } = await storage.load(name);
    log.#seq = seq;
    const [first] = updates;
    if (first?.[0] === SNAPSHOT) log.#snapshot = readSnapshot(seq - updates.length + 1, first);
    log.#entries = updates.slice(log.#snapshot ? 1 : 0).map((record) => record.subarray(1));
    if (log.#snapshot) log.#heads.cover(decodeHead(log.#snapshot.bytes).witnesses);
    for (const bytes of log.#entries) log.#heads.cover([await headOf(bytes)]);
    return log;
  }

  /** Number of the newest entry. */
  get seq(): number {
    return this.#seq;
  }

  get busy(): boolean {
    return this.#queue.busy;
  }

  listen(listener: LogListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** What whoever has read up to `seq`, whose entry has that hash, has to read; everything when there is no such entry. */
  async readingAfter(seq: number, hash: string): Promise<() => LogReading> {
    const known = seq > 0 && (await this.#isAt(seq, hash));
    return () => this.#reading(known ? seq : 0);
  }

  /**
   * Adds an entry. Resolves with its number. Rejects with ProtocolError on bytes that are none, and with SyscallError
   * when it does not follow its writer's entries here (409), could not be written (507), or the log is no more (410).
   */
  async add(bytes: Uint8Array, origin: unknown): Promise<number> {
    if (readHead(bytes).mode === 'snapshot') throw new ProtocolError('a snapshot is no entry');
    return this.#queue.add({ bytes, origin });
  }

  /**
   * Puts a snapshot in the place of everything up to `seq`. One that says nothing new, under no newer key, changes nothing. Rejects with
   * ProtocolError on bytes that are none, and with SyscallError when it leaves out something (409) or cannot be written.
   */
  async replace(seq: number, bytes: Uint8Array, origin: unknown): Promise<void> {
    const head = readHead(bytes);
    if (head.mode !== 'snapshot') throw new ProtocolError('an entry is no snapshot');
    const resume = await this.#queue.hold();
    try {
      if (!this.#isNew(seq, head)) return;
      const before = await this.#hashAt(seq);
      if (before === null) throw conflict();
      const more = witnessesBeyond(head, this.#heads);
      const later = this.#entries.slice(seq - this.first);
      const heads = await headsOf(head, later);
      // Whoever had read up to `seq` before has to read what was put back.
      const replaced = more ? await sha256Hex(bytes as Uint8Array<ArrayBuffer>) : before;
      await this.#storage.compact(this.name, seq, record(SNAPSHOT, fromHex(replaced), bytes));
      this.#entries = later;
      this.#snapshot = { seq, bytes, replaced };
      this.#heads = heads;
      for (const listener of this.#listeners) listener.replaced(seq, more ? bytes : null, origin);
    } finally {
      resume();
    }
  }

  hold(): Promise<() => void> {
    return this.#queue.hold();
  }

  end(reason: string): void {
    if (!this.#queue.end(reason)) return;
    for (const listener of [...this.#listeners]) listener.ended(reason);
  }

  /** Nobody uses it any more. */
  drop(): void {}

  /** Entries are numbered from the one after this: what the snapshot ends with. */
  get first(): number {
    return this.#snapshot?.seq ?? 0;
  }

  #reading(seq: number): LogReading {
    if (seq < this.first || seq === 0) {
      return { after: 0, snapshot: this.#snapshot, entries: this.#entries };
    }
    return { after: seq, snapshot: null, entries: this.#entries.slice(seq - this.first) };
  }

  /** Whoever has read the snapshot alone knows its hash, and not that of what it replaced. */
  async #isAt(seq: number, hash: string): Promise<boolean> {
    if ((await this.#hashAt(seq)) === hash) return true;
    const { bytes } = this.#snapshot ?? {};
    return (
      bytes !== undefined &&
      seq === this.first &&
      (await sha256Hex(bytes as Uint8Array<ArrayBuffer>)) === hash
    );
  }

  async #hashAt(seq: number): Promise<string | null> {
    if (seq === this.first) return this.#snapshot?.replaced ?? NO_HASH;
    const bytes = this.#entries[seq - this.first - 1];
    return bytes ? sha256Hex(bytes as Uint8Array<ArrayBuffer>) : null;
  }

  /** Throws 409 on a snapshot that lacks something of what it would replace. */
  #isNew(seq: number, head: EntryHead): boolean {
    const covered = new Heads(head.witnesses);
    if (!witnessesBeyond(head, this.#heads)) {
      if (seq < this.first || (seq === this.first && !this.#isUnderOlderKey(head))) return false;
    } else if (seq < this.first) throw conflict();
    const old = this.#snapshot ? decodeHead(this.#snapshot.bytes).witnesses : [];
    const replaced = this.#entries.slice(0, seq - this.first).map(decodeHead);
    if ([...old, ...replaced].some(({ writer, n }) => covered.of(writer).n < n)) throw conflict();
    return true;
  }

  /** What is said anew under a newer key says nothing new, and is to be told anew all the same. */
  #isUnderOlderKey({ epoch }: EntryHead): boolean {
    return this.#snapshot !== null && decodeHead(this.#snapshot.bytes).epoch < epoch;
  }

  async #write(batch: readonly Added[]): Promise<Written[]> {
    const heads = new Heads(this.#heads.list());
    const placed = await Promise.all(batch.map(({ bytes }) => place(bytes)));
    const refusals = placed.map((entry) => refusalOf(heads, entry));
    const fresh = batch.filter((_, at) => refusals[at] === null);
    if (fresh.length > 0) {
      await this.#storage.append(
        this.name,
        fresh.map(({ bytes }) => record(ENTRY, bytes)),
      );
      this.#heads = heads;
    }
    return batch.map(({ bytes, origin }, at) => refusals[at] ?? this.#tell(bytes, origin));
  }

  #tell(bytes: Uint8Array, origin: unknown): number {
    this.#seq += 1;
    this.#entries.push(bytes);
    for (const listener of this.#listeners) listener.added(this.#seq, bytes, origin);
    return this.#seq;
  }
}

/** What the log says after a snapshot took the place of its beginning: that counts, whatever stood there before. */
async function headsOf({ witnesses }: EntryHead, later: readonly Uint8Array[]): Promise<Heads> {
  const heads = new Heads(witnesses);
  try {
    for (const bytes of later) heads.cover([await headOf(bytes)]);
    return heads;
  } catch (thrown) {
    throw thrown instanceof SealFault ? conflict() : thrown;
  }
}

function witnessesBeyond({ witnesses }: EntryHead, heads: Heads): boolean {
  return witnesses.some(({ writer, n }) => n > heads.of(writer).n);
}

function refusalOf(heads: Heads, entry: Placed): Error | null {
  try {
    heads.follow(entry);
    return null;
  } catch (thrown) {
    return thrown instanceof SealFault ? conflict() : (thrown as Error);
  }
}

function conflict(): SyscallError {
  return new SyscallError(409, 'The server has other changes of this browser; they are read first', {
    retryable: true,
  });
}

/** What stands in the clear. Throws ProtocolError on bytes that are no entry. */
function readHead(bytes: Uint8Array): EntryHead {
  try {
    return decodeHead(bytes);
  } catch {
    throw new ProtocolError('malformed log entry');
  }
}

async function place(bytes: Uint8Array): Promise<Placed> {
  return { head: decodeHead(bytes), hash: await sha256Hex(bytes as Uint8Array<ArrayBuffer>) };
}

async function headOf(bytes: Uint8Array) {
  const { head, hash } = await place(bytes);
  return { writer: head.writer, n: head.n, hash };
}

function record(kind: number, ...parts: Uint8Array[]): Uint8Array {
  return concatBytes([new Uint8Array([kind]), ...parts]);
}

function readSnapshot(seq: number, stored: Uint8Array): Snapshot {
  const replaced = toHex(stored.subarray(1, 1 + HASH_BYTES));
  return { seq, replaced, bytes: stored.subarray(1 + HASH_BYTES) };
}
