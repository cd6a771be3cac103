import { type EntryHead, type Head, NO_HASH, type WriterCount } from './entry.ts';
import type { OpenedEntry } from './entry-cipher.ts';
import { SealFault } from './fault.ts';
import { Heads } from './heads.ts';

/** How far a replica has read a log. */
export type LogPlace = {
  /** Number of the newest entry in the log; 0 before there is one. */
  seq: number;
  /** Its hash, or that of the snapshot that ends with it. */
  hash: string;
  heads: Heads;
};

/**
 * Reads a log as a server hands it out, and takes nothing on trust: each entry has the next number, follows its
 * writer's one before it, and comes after all that its writer had read. A log that is read from its start is compared
 * with what is known. What throws SealFault has changed nothing.
 */
export class LogReader {
  readonly heads: Heads;
  #seq: number;
  #hash: string;
  /** The heads of the log itself while it is read from its start. */
  #log: Heads | null = null;
  #lacking: SealFault | null = null;
  readonly #expected: readonly WriterCount[];

  /** `expected`: what another replica knew to be in the log. */
  constructor({ seq, hash, heads }: LogPlace, expected: readonly WriterCount[] = []) {
    this.heads = heads;
    this.#expected = expected;
    this.#seq = seq;
    this.#hash = hash;
  }

  get place(): LogPlace {
    return { seq: this.#seq, hash: this.#hash, heads: this.heads };
  }

  /** What comes now follows entry `seq`: where this replica was, or nothing, and then it is the whole log. */
  begin(seq: number): void {
    if (seq !== 0 && seq !== this.#seq) throw outOfOrder();
    if (seq !== 0) return;
    this.#log = new Heads();
    this.#lacking = null;
    this.#seq = 0;
    this.#hash = NO_HASH;
  }

  /** Everything up to `seq`. Returns its payload when there is something new in it. */
  snapshot(seq: number, { head, payload, hash }: OpenedEntry): Uint8Array | null {
    if (!this.#log || this.#hash !== NO_HASH) throw outOfOrder();
    const news = this.putBack({ head, payload, hash });
    this.#log.cover(head.witnesses);
    this.#seq = seq;
    this.#hash = hash;
    return news;
  }

  /** What the log had lost is in it again. Returns its payload when there is something new in it. */
  putBack({ head, payload }: OpenedEntry): Uint8Array | null {
    demandSnapshot(head);
    const beyond = this.heads.beyond(head.witnesses);
    this.heads.cover(beyond);
    return beyond.length > 0 ? payload : null;
  }

  /** Whether there is something in it that is not known here. Changes nothing. Throws SealFault as taking it would. */
  isNews({ head, hash }: OpenedEntry): boolean {
    if (head.mode === 'snapshot') return this.heads.beyond(head.witnesses).length > 0;
    return this.heads.standing({ head, hash }) === 'next';
  }

  /** The entry at `seq`. Returns its payload when that is new. */
  entry(seq: number, entry: OpenedEntry): Uint8Array | null {
    if (seq !== this.#seq + 1) throw outOfOrder();
    if (entry.head.mode === 'snapshot')
      throw new SealFault('foreign', 'A snapshot was given out as an entry');
    const standing = this.heads.standing(entry);
    if (this.#log) this.#follow(this.#log, entry);
    if (standing === 'next') this.heads.follow(entry);
    else if (!this.#log) throw new SealFault('repeated', 'An entry came a second time');
    this.#seq = seq;
    this.#hash = entry.hash;
    return standing === 'next' ? entry.payload : null;
  }

  /** What this replica wrote stands at `seq` now. */
  stored(seq: number, own: Head & { writer: string; previous: string }): void {
    if (seq !== this.#seq + 1 || this.#log) throw outOfOrder();
    const { writer, n, previous, hash } = own;
    this.heads.follow({ head: { writer, n, previous, witnesses: [] }, hash });
    this.#seq = seq;
    this.#hash = hash;
  }

  /**
   * All has been said that was there. Returns what the log lacks of what this replica knows, and could put back. Throws
   * SealFault when it ends before what is expected, too.
   */
  end(seq: number): SealFault | null {
    if (seq !== this.#seq) throw outOfOrder();
    if (!this.heads.reach(this.#expected))
      throw new SealFault('older', 'The log ends before what another replica knew');
    const log = this.#log;
    this.#log = null;
    if (!log) return null;
    const behind = !log.reach(this.heads.list());
    return this.#lacking ?? (behind ? new SealFault('behind', 'The log ends before what is known') : null);
  }

  /** Entries that are known here may be missing from the log: then it is to be made whole, and read on. */
  #follow(log: Heads, entry: OpenedEntry): void {
    try {
      // What was put back may hold entries that came after the place where it was put.
      if (log.standing(entry) === 'next') log.follow(entry);
    } catch (thrown) {
      if (!(thrown instanceof SealFault) || thrown.kind !== 'gap') throw thrown;
      this.#lacking ??= thrown;
      const { writer, n } = entry.head;
      log.cover([...entry.head.witnesses, { writer, n, hash: entry.hash }]);
    }
  }
}

function demandSnapshot({ mode }: EntryHead): void {
  if (mode !== 'snapshot') throw new SealFault('foreign', 'An entry was given out as a snapshot');
}

function outOfOrder(): SealFault {
  return new SealFault('order', 'The log was given out in another order');
}
