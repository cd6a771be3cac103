import type { Static, TObject } from 'typebox';
import type { Table } from './table.ts';

/** A table of which some rows stand in another document than the others, told by their keys. */
export class SplitTable<Schema extends TObject> implements Pick<Table<Schema>, keyof Table<Schema>> {
  readonly #isFirst: (key: string) => boolean;
  readonly #first: Table<Schema>;
  readonly #second: Table<Schema>;

  constructor(isFirst: (key: string) => boolean, first: Table<Schema>, second: Table<Schema>) {
    this.#isFirst = isFirst;
    this.#first = first;
    this.#second = second;
  }

  get size(): number {
    return this.#first.size + this.#second.size;
  }

  get(key: string): Static<Schema> | undefined {
    return this.#of(key).get(key);
  }

  put(key: string, row: Static<Schema>): void {
    this.#of(key).put(key, row);
  }

  patch(key: string, changes: Partial<Static<Schema>>): Static<Schema> | undefined {
    return this.#of(key).patch(key, changes);
  }

  delete(key: string): boolean {
    return this.#of(key).delete(key);
  }

  keys(): string[] {
    return [...this.#first.keys(), ...this.#second.keys()];
  }

  *entries(): Generator<[string, Static<Schema>]> {
    yield* this.#first.entries();
    yield* this.#second.entries();
  }

  rows(): Static<Schema>[] {
    return [...this.#first.rows(), ...this.#second.rows()];
  }

  observe(listener: (keys: Set<string>) => void): () => void {
    const ends = [this.#first.observe(listener), this.#second.observe(listener)];
    return () => {
      for (const end of ends) end();
    };
  }

  #of(key: string): Table<Schema> {
    return this.#isFirst(key) ? this.#first : this.#second;
  }
}
