import type { Static, TObject } from 'typebox';
import type * as Y from 'yjs';
import { matches } from '../std/matches.ts';
import { rowCodec, storableRow } from './row-codec.ts';
import { RowFields } from './row-fields.ts';

/** Rows that are kept read although their tables may have lost them. */
const KEPT_READ = 64;

/** A row as it was read: from what was stored of it, and of fields that were changed by themselves. */
type Read<Row> = { stored: unknown; changed: readonly unknown[] | null; row: Row };

/**
 * A typed table over one Y.Map: plain JSON rows by a sortable key. A stored row that is not what the schema says
 * (damaged, or of an unknown version) is not returned; it stays where it is.
 *
 * Of changes made apart, `patch` keeps those of different fields; of rows that are `put`, one counts. Fields that are
 * judged together are put together.
 */
export class Table<Schema extends TObject> {
  readonly #doc: Y.Doc;
  readonly #map: Y.Map<unknown>;
  readonly #fields: RowFields;
  readonly #schema: Schema;
  /** Rows as they were last read: each stored value is read and checked once. Forgotten when they are too many. */
  readonly #read = new Map<string, Read<Static<Schema>>>();
  #most = KEPT_READ;

  constructor(doc: Y.Doc, name: string, schema: Schema) {
    this.#doc = doc;
    this.#map = doc.getMap(name);
    this.#fields = new RowFields(doc, name);
    this.#schema = schema;
  }

  get size(): number {
    return this.#map.size;
  }

  get(key: string): Static<Schema> | undefined {
    return this.#decode(key, this.#map.get(key));
  }

  /** The whole row. One that is there already is not written again. Throws 413 on one that is too long. */
  put(key: string, row: Static<Schema>): void {
    const stored = storableRow(row);
    const changed = this.#fields.stored(key) !== null;
    if (changed && isSame(this.get(key), row)) return;
    if (!changed && this.#map.get(key) === stored) return;
    this.#doc.transact(() => {
      this.#map.set(key, stored);
      if (changed) this.#fields.clear(key);
    });
  }

  /**
   * Changes some fields of an existing row, and undoes no change of others that was made apart. Returns the new row, or
   * undefined when there is none.
   */
  patch(key: string, changes: Partial<Static<Schema>>): Static<Schema> | undefined {
    const row = this.get(key) as Record<string, unknown> | undefined;
    if (row === undefined) return undefined;
    const changed = Object.entries(changes).filter(([field, value]) => !isSame(row[field], value));
    if (changed.length > 0)
      this.#doc.transact(() => {
        for (const [field, value] of changed) this.#fields.set(key, field, value);
      });
    return { ...row, ...changes } as Static<Schema>;
  }

  delete(key: string): boolean {
    if (!this.#map.has(key)) return false;
    this.#doc.transact(() => {
      this.#map.delete(key);
      this.#fields.clear(key);
    });
    return true;
  }

  /** Keys in no particular order. */
  keys(): string[] {
    return [...this.#map.keys()];
  }

  *entries(): Generator<[string, Static<Schema>]> {
    for (const [key, stored] of this.#map.entries()) {
      const row = this.#decode(key, stored);
      if (row !== undefined) yield [key, row];
    }
  }

  rows(): Static<Schema>[] {
    return Array.from(this.entries(), ([, row]) => row);
  }

  /** Calls `listener` with the keys that changed, once per transaction. The returned function ends it; again, it does nothing. */
  observe(listener: (keys: Set<string>) => void): () => void {
    const fields = this.#fields.maps(Object.keys(this.#schema.properties));
    const maps = [this.#map, ...fields.map(([, map]) => map)];
    const own = new Set<unknown>(maps);
    const onEvent = ({ target, transaction }: Y.YMapEvent<unknown>): void => {
      const all: [unknown, Set<string | null>][] = [...transaction.changed];
      const changed = all.filter(([type]) => own.has(type));
      if (changed[0]?.[0] === target) listener(new Set(changed.flatMap(([, keys]) => [...keys] as string[])));
    };
    for (const map of maps) map.observe(onEvent);
    return () => {
      for (const map of maps.splice(0)) map.unobserve(onEvent);
    };
  }

  #decode(key: string, stored: unknown): Static<Schema> | undefined {
    if (stored === undefined) return undefined;
    const changed = this.#fields.stored(key);
    const known = this.#read.get(key);
    if (known?.stored === stored && isSameList(known.changed, changed)) return known.row;
    const row = this.#fields.joined(rowCodec.decode(stored), changed);
    if (!matches(this.#schema, row)) return undefined;
    this.#keep(key, { stored, changed, row: row as Static<Schema> });
    return row as Static<Schema>;
  }

  #keep(key: string, read: Read<Static<Schema>>): void {
    if (this.#read.size >= this.#most) {
      this.#read.clear();
      this.#most = Math.max(KEPT_READ, 2 * this.#map.size);
    }
    this.#read.set(key, read);
  }
}

const isSame = (one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other);

function isSameList(one: readonly unknown[] | null, other: readonly unknown[] | null): boolean {
  if (one === null || other === null) return one === other;
  return one.length === other.length && one.every((value, at) => value === other[at]);
}
