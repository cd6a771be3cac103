import { type EntryHead, type Head, NO_HASH, type WriterCount, type WriterHead } from './entry.ts';
import { SealFault } from './fault.ts';

/** What is asked about an entry before it is taken. */
export type Placed = { head: Pick<EntryHead, 'writer' | 'n' | 'previous' | 'witnesses'>; hash: string };

/** How an entry stands to what is known of its writer. */
export type Standing = 'next' | 'known';

/**
 * The newest entry of each writer of one document that is known here. Invariant: a head only goes forward, and each
 * entry followed the one before it by that one's hash.
 */
export class Heads {
  readonly #heads: Map<string, Head>;

  constructor(heads: Iterable<WriterHead> = []) {
    this.#heads = new Map(Array.from(heads, ({ writer, n, hash }) => [writer, { n, hash }]));
  }

  /** Before its first entry, a writer's head is number 0. */
  of(writer: string): Head {
    return this.#heads.get(writer) ?? { n: 0, hash: NO_HASH };
  }

  /** Whether they go as far as others do, or further. */
  reach(counts: readonly WriterCount[]): boolean {
    return counts.every(({ writer, n }) => this.of(writer).n >= n);
  }

  /** By writer, so that the same heads are always written alike. */
  list(): WriterHead[] {
    const all = Array.from(this.#heads, ([writer, head]) => ({ writer, ...head }));
    return all.sort((a, b) => (a.writer < b.writer ? -1 : 1));
  }

  /**
   * Whether an entry is the next of its writer or one that is known. Changes nothing. Throws SealFault when something
   * before it is missing, or when its writer wrote something else in its place.
   */
  standing({ head, hash }: Placed): Standing {
    const own = this.of(head.writer);
    if (head.n < own.n) return 'known';
    if (head.n === own.n) {
      this.#demandSame(own, hash);
      return 'known';
    }
    if (head.n > own.n + 1) throw new SealFault('gap', `Entry ${head.n} came after ${own.n}`);
    this.#demandSame(own, head.previous);
    for (const witness of head.witnesses) this.#demandRead(witness);
    return 'next';
  }

  /** The entry is part of what is known. Throws as `standing` does, and on one that is known already. */
  follow(entry: Placed): void {
    if (this.standing(entry) === 'known') {
      throw new SealFault('repeated', `Entry ${entry.head.n} came a second time`);
    }
    this.#heads.set(entry.head.writer, { n: entry.head.n, hash: entry.hash });
  }

  /** Heads of a snapshot that go further than what is known. Throws SealFault where they contradict it. */
  beyond(heads: readonly WriterHead[]): WriterHead[] {
    return heads.filter(({ writer, n, hash }) => {
      const own = this.of(writer);
      if (n === own.n) this.#demandSame(own, hash);
      return n > own.n;
    });
  }

  /** Everything up to these heads is part of what is known. */
  cover(heads: readonly WriterHead[]): void {
    for (const { writer, n, hash } of this.beyond(heads)) this.#heads.set(writer, { n, hash });
  }

  #demandSame(own: Head, hash: string): void {
    if (own.hash !== hash) throw new SealFault('fork', `There is another entry ${own.n} of this writer`);
  }

  /** What the writer of an entry had read stood before it in the log. */
  #demandRead({ writer, n, hash }: WriterHead): void {
    const own = this.of(writer);
    if (n > own.n) throw new SealFault('gap', `Entry ${n} of another writer was left out`);
    if (n === own.n) this.#demandSame(own, hash);
  }
}
