import type { Static, TObject } from 'typebox';
import type * as Y from 'yjs';
import { matches } from '../std/matches.ts';

/** How a row is stored. One codec for every row, so that contents can be sealed later (DESIGN 4). */
export const rowCodec = {
  encode: (row: unknown): unknown => row,
  decode: (stored: unknown): unknown => stored,
};

/**
 * A typed table over one Y.Map: plain JSON rows by a sortable key. A stored row that is not what the schema says
 * (damaged, or of an unknown version) is not returned; it stays where it is.
 */
export class Table<Schema extends TObject> {
  readonly #map: Y.Map<unknown>;
  readonly #schema: Schema;
  /** Rows by their stored value, which is replaced and never changed: each is checked once. */
  readonly #decoded = new WeakMap<object, Static<Schema>>();

  constructor(doc: Y.Doc, name: string, schema: Schema) {
    this.#map = doc.getMap(name);
    this.#schema = schema;
  }

  get size(): number {
    return this.#map.size;
  }

  get(key: string): Static<Schema> | undefined {
    return this.#decode(this.#map.get(key));
  }

  put(key: string, row: Static<Schema>): void {
    this.#map.set(key, rowCodec.encode(row));
  }

  /** Changes some fields of an existing row. Returns the new row, or undefined when there is none. */
  patch(key: string, changes: Partial<Static<Schema>>): Static<Schema> | undefined {
    const row = this.get(key);
    if (row === undefined) return undefined;
    const next = { ...(row as object), ...changes } as Static<Schema>;
    this.put(key, next);
    return next;
  }

  delete(key: string): boolean {
    if (!this.#map.has(key)) return false;
    this.#map.delete(key);
    return true;
  }

  /** Keys in no particular order. */
  keys(): string[] {
    return [...this.#map.keys()];
  }

  *entries(): Generator<[string, Static<Schema>]> {
    for (const [key, stored] of this.#map.entries()) {
      const row = this.#decode(stored);
      if (row !== undefined) yield [key, row];
    }
  }

  rows(): Static<Schema>[] {
    return Array.from(this.entries(), ([, row]) => row);
  }

  /** Calls `listener` with the keys that changed, once per transaction. The returned function ends it. */
  observe(listener: (keys: Set<string>) => void): () => void {
    const onEvent = (event: Y.YMapEvent<unknown>): void => listener(event.keysChanged as Set<string>);
    this.#map.observe(onEvent);
    return () => this.#map.unobserve(onEvent);
  }

  #decode(stored: unknown): Static<Schema> | undefined {
    if (typeof stored !== 'object' || stored === null) return undefined;
    const known = this.#decoded.get(stored);
    if (known !== undefined) return known;
    const row = rowCodec.decode(stored);
    if (!matches(this.#schema, row)) return undefined;
    this.#decoded.set(stored, row as Static<Schema>);
    return row as Static<Schema>;
  }
}
