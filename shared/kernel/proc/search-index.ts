import { Type } from 'typebox';
import type { MessageRow } from '../../state/conversation.ts';
import { Table } from '../../state/table.ts';
import { fromBase64, toBase64 } from '../../std/bytes.ts';
import type { Documents } from '../documents.ts';
import { mayHave, signature } from './search-words.ts';

/** Of this replica alone, never replicated, and made anew where it is lost. */
export const SEARCH_DOC = 'search';

/** `count`: messages that the block had; with another number its signature says nothing. */
const BlockRow = Type.Object({ count: Type.Integer({ minimum: 0 }), bits: Type.String() });

/** One row for each block of messages, by which blocks are passed over that cannot have a word. */
export class SearchIndex {
  readonly #documents: Documents;
  readonly #known = new Map<string, { count: number; bits: Uint8Array }>();
  #opening: Promise<Table<typeof BlockRow>> | null = null;

  constructor(documents: Documents) {
    this.#documents = documents;
  }

  /** Opens it when it is first needed. */
  ready(): Promise<Table<typeof BlockRow>> {
    this.#opening ??= this.#documents.open(SEARCH_DOC).then((doc) => new Table(doc, 'blocks', BlockRow));
    return this.#opening;
  }

  /** Whether a block has to be read: it may have the words, or is not known as it is now. */
  async wants(key: string, count: number, words: readonly string[]): Promise<boolean> {
    const row = this.#known.get(key) ?? (await this.#read(key));
    return row?.count !== count || mayHave(row.bits, words);
  }

  /** Notes what a block has. On disk by and by: what is lost is made again. */
  async note(key: string, rows: readonly MessageRow[]): Promise<void> {
    if (this.#known.get(key)?.count === rows.length) return;
    const block = { count: rows.length, bits: signature(rows) };
    this.#known.set(key, block);
    (await this.ready()).put(key, { count: block.count, bits: toBase64(block.bits) });
  }

  /** Forgets blocks of a conversation that are not among these any more. */
  async keepOnly(prefix: string, keys: ReadonlySet<string>): Promise<void> {
    const table = await this.ready();
    for (const key of table.keys()) {
      if (!key.startsWith(prefix) || keys.has(key)) continue;
      table.delete(key);
      this.#known.delete(key);
    }
  }

  async #read(key: string): Promise<{ count: number; bits: Uint8Array } | undefined> {
    const row = (await this.ready()).get(key);
    if (!row) return undefined;
    const block = { count: row.count, bits: fromBase64(row.bits) };
    this.#known.set(key, block);
    return block;
  }
}
