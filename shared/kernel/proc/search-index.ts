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

/** Blocks of which it keeps what it knows in memory, some 2 KiB each. */
const MOST_READ = 8_000;

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
    const row = await this.#read(key);
    return row?.count !== count || mayHave(row.bits, words);
  }

  /** Notes what a block has. On disk by and by: what is lost is made again. */
  async note(key: string, rows: readonly MessageRow[]): Promise<void> {
    if (this.#known.get(key)?.count === rows.length) return;
    const block = { count: rows.length, bits: signature(rows) };
    this.#known.set(key, block);
    (await this.ready()).put(key, { count: block.count, bits: toBase64(block.bits) });
  }

  /** Whether it knows something of a block, as it is or was. */
  async has(key: string): Promise<boolean> {
    return (await this.#read(key)) !== undefined;
  }

  /** Reads all that it knows, some at a time, so that a search need not. */
  async *read(atOnce: number): AsyncGenerator<number> {
    const keys = (await this.ready()).keys().slice(-MOST_READ);
    for (let at = 0; at < keys.length; at += atOnce) {
      for (const key of keys.slice(at, at + atOnce)) await this.#read(key);
      yield at;
    }
  }

  /** Forgets blocks of conversations that are not there any more; of archives it knows nothing here. */
  async keepBlocks(keys: ReadonlySet<string>): Promise<void> {
    const table = await this.ready();
    for (const key of table.keys())
      if (!keys.has(key) && !key.includes('/archive/')) this.#forget(table, key);
  }

  /** Forgets blocks of a conversation that are not among these any more. */
  async keepOnly(prefix: string, keys: ReadonlySet<string>): Promise<void> {
    const table = await this.ready();
    for (const key of table.keys()) {
      if (key.startsWith(prefix) && !keys.has(key)) this.#forget(table, key);
    }
  }

  #forget(table: Table<typeof BlockRow>, key: string): void {
    table.delete(key);
    this.#known.delete(key);
  }

  async #read(key: string): Promise<{ count: number; bits: Uint8Array } | undefined> {
    const known = this.#known.get(key);
    if (known) return known;
    const row = (await this.ready()).get(key);
    if (!row) return undefined;
    const block = { count: row.count, bits: fromBase64(row.bits) };
    this.#known.set(key, block);
    return block;
  }
}
