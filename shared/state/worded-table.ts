import type { Static, TObject } from 'typebox';
import type { Table } from './table.ts';

/**
 * A table that the room reads but for some fields, which are words for people and stand in another document. A row whose
 * words are not here has those that it was told with, of an older version, or blank ones.
 */
export class WordedTable<Schema extends TObject, Words extends TObject>
  implements Pick<Table<Schema>, keyof Table<Schema>>
{
  readonly #told: Table<Schema>;
  readonly #words: Table<Words>;
  readonly #blank: Static<Words>;

  /** `blank`: what the room is told in place of the words, all of them. */
  constructor(told: Table<Schema>, words: Table<Words>, blank: Static<Words>) {
    this.#told = told;
    this.#words = words;
    this.#blank = blank;
  }

  get size(): number {
    return this.#told.size;
  }

  get(key: string): Static<Schema> | undefined {
    const row = this.#told.get(key);
    return row && this.#joined(key, row);
  }

  put(key: string, row: Static<Schema>): void {
    this.#words.put(key, this.#wordsOf(row));
    this.#told.put(key, { ...(row as object), ...(this.#blank as object) } as Static<Schema>);
  }

  patch(key: string, changes: Partial<Static<Schema>>): Static<Schema> | undefined {
    const row = this.get(key);
    if (row === undefined) return undefined;
    const changed = Object.entries(changes);
    const words = changed.filter(([field]) => this.#isWord(field));
    if (words.length > 0) this.#patchWords(key, row, Object.fromEntries(words) as Partial<Static<Words>>);
    const told = changed.filter(([field]) => !this.#isWord(field));
    this.#told.patch(key, Object.fromEntries(told) as Partial<Static<Schema>>);
    return this.get(key);
  }

  delete(key: string): boolean {
    this.#words.delete(key);
    return this.#told.delete(key);
  }

  keys(): string[] {
    return this.#told.keys();
  }

  *entries(): Generator<[string, Static<Schema>]> {
    for (const [key, row] of this.#told.entries()) yield [key, this.#joined(key, row)];
  }

  rows(): Static<Schema>[] {
    return Array.from(this.entries(), ([, row]) => row);
  }

  observe(listener: (keys: Set<string>) => void): () => void {
    const ends = [this.#told.observe(listener), this.#words.observe(listener)];
    return () => {
      for (const end of ends) end();
    };
  }

  #joined(key: string, row: Static<Schema>): Static<Schema> {
    const words = this.#words.get(key);
    return words === undefined ? row : ({ ...(row as object), ...(words as object) } as Static<Schema>);
  }

  /** Those that stand beside the others already are patched, so that of changes made apart both count. */
  #patchWords(key: string, row: Static<Schema>, changes: Partial<Static<Words>>): void {
    if (this.#words.patch(key, changes)) return;
    this.#words.put(key, { ...(this.#wordsOf(row) as object), ...(changes as object) } as Static<Words>);
  }

  #wordsOf(row: Static<Schema>): Static<Words> {
    const fields = Object.entries(row as object).filter(([field]) => this.#isWord(field));
    return Object.fromEntries(fields) as Static<Words>;
  }

  #isWord(field: string): boolean {
    return Object.hasOwn(this.#blank as object, field);
  }
}
