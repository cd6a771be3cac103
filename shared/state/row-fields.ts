import type * as Y from 'yjs';
import { rowCodec, storableRow } from './row-codec.ts';

/** A field of `processes` that was changed by itself stands in a map of its own: `processes.label`, by the row's key. */
const SEPARATOR = '.';

/** The table that a map of a document belongs to: its own, or that of a field. */
export function tableOf(map: string): string {
  return map.split(SEPARATOR, 1)[0] ?? map;
}

/** The tables of a document, in the order of their names. Its types have to be maps. */
export function tablesIn(maps: Iterable<string>): string[] {
  return [...new Set(Array.from(maps, tableOf))].sort();
}

/** Whole rows of a table, read, but checked against no schema. */
export function* rowsIn(doc: Y.Doc, table: string): Generator<[key: string, row: unknown]> {
  const fields = new RowFields(doc, table);
  for (const [key, stored] of doc.getMap(table))
    yield [key, fields.joined(rowCodec.decode(stored), fields.stored(key))];
}

/**
 * Fields of the rows of one table that were changed by themselves. Each counts in place of what its row says, so that
 * changes of different fields made apart both come true. Of one field the later change does.
 */
export class RowFields {
  readonly #doc: Y.Doc;
  readonly #table: string;
  /** The maps that there are, by field. A document never loses one, so their number says whether there are more. */
  #maps: [string, Y.Map<unknown>][] = [];
  #seen = 0;

  constructor(doc: Y.Doc, table: string) {
    this.#doc = doc;
    this.#table = table;
  }

  /** What was changed of one row, as it is stored, in the order of `maps`; null when nothing was. */
  stored(key: string): unknown[] | null {
    const maps = this.maps();
    let values: unknown[] | null = null;
    for (let at = 0; at < maps.length; at += 1) {
      const map = maps[at]?.[1];
      // Of most fields nothing was ever changed, and each row that is read asks for all of them.
      const value = map === undefined || map._map.size === 0 ? undefined : map.get(key);
      if (value === undefined) continue;
      values ??= new Array(maps.length).fill(undefined);
      values[at] = value;
    }
    return values;
  }

  /** A row with what was changed of it. One that is no row stays as it is. */
  joined(row: unknown, stored: readonly unknown[] | null): unknown {
    if (stored === null || typeof row !== 'object' || row === null) return row;
    const next: Record<string, unknown> = { ...row };
    for (const [at, [field]] of this.#maps.entries()) {
      if (stored[at] === undefined) continue;
      const value = rowCodec.decode(stored[at]);
      if (value === undefined) delete next[field];
      else next[field] = value;
    }
    return next;
  }

  /** An undefined value takes the field away. Throws 413 on one that is too long. */
  set(key: string, field: string, value: unknown): void {
    const stored = value === undefined ? '' : storableRow(value);
    this.#doc.getMap(this.#table + SEPARATOR + field).set(key, stored);
  }

  /** The row says all of itself again, or is gone. */
  clear(key: string): void {
    for (const [, map] of this.maps()) if (map.has(key)) map.delete(key);
  }

  /** The map of each field of which there is one; those of `fields` are made. */
  maps(fields: readonly string[] = []): readonly [string, Y.Map<unknown>][] {
    for (const field of fields) this.#doc.getMap(this.#table + SEPARATOR + field);
    if (this.#seen === this.#doc.share.size) return this.#maps;
    this.#seen = this.#doc.share.size;
    const prefix = this.#table + SEPARATOR;
    const names = [...this.#doc.share.keys()].filter((name) => name.startsWith(prefix));
    this.#maps = names.map((name) => [name.slice(prefix.length), this.#doc.getMap(name)]);
    return this.#maps;
  }
}
