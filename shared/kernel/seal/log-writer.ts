import { type Head, NO_HASH } from './entry.ts';
import type { EntryCipher, WrittenEntry } from './entry-cipher.ts';
import type { Heads } from './heads.ts';

/** An entry that was written and is not known to be stored. */
export type OwnEntry = Head & { writer: string; previous: string; bytes: Uint8Array };

/** Writes this replica's entries of one document, each on top of the one before it. */
export class LogWriter {
  readonly #cipher: EntryCipher;
  readonly #writer: string;
  /** What others were told to have been read. */
  readonly #witnessed = new Map<string, number>();
  #tip: Head = { n: 0, hash: NO_HASH };

  constructor(cipher: EntryCipher, writer: string) {
    this.#cipher = cipher;
    this.#writer = writer;
  }

  /** `heads`: everything that is in the log. Returns what was sent and is not in it: it goes first, as it was. */
  begin(heads: Heads, sent: readonly OwnEntry[]): OwnEntry[] {
    this.#tip = heads.of(this.#writer);
    return sent.filter((entry) => {
      const follows = entry.n === this.#tip.n + 1 && entry.previous === this.#tip.hash;
      if (follows) this.#tip = { n: entry.n, hash: entry.hash };
      return follows;
    });
  }

  /** One at a time: an entry names the one before it. `heads` is what has been read until now. */
  async entry(update: Uint8Array, heads: Heads): Promise<OwnEntry> {
    const { n, hash: previous } = this.#tip;
    const own = { writer: this.#writer, n: n + 1, previous };
    const witnesses = heads.list().filter((head) => this.#isNews(head.writer, head.n));
    for (const head of witnesses) this.#witnessed.set(head.writer, head.n);
    const { bytes, hash } = await this.#cipher.seal({ ...own, mode: 'change', witnesses }, update);
    this.#tip = { n: n + 1, hash };
    return { ...own, hash, bytes };
  }

  /** Everything that `heads` speak of, as one. */
  snapshot(state: Uint8Array, heads: Heads): Promise<WrittenEntry> {
    const { n, hash: previous } = heads.of(this.#writer);
    const own = { writer: this.#writer, n, previous };
    return this.#cipher.seal({ ...own, mode: 'snapshot', witnesses: heads.list() }, state);
  }

  #isNews(writer: string, n: number): boolean {
    return writer !== this.#writer && this.#witnessed.get(writer) !== n;
  }
}
