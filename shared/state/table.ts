import type { Static, TObject } from 'typebox';
import type * as Y from 'yjs';
import { SyscallError } from '../protocol/errors.ts';
import { isLongerThan } from '../protocol/frames.ts';
import { matches } from '../std/matches.ts';

/**
 * How a row is stored: as JSON text, which a document takes in and gives out some fifteen times as fast as a value of
 * fields, and which is read when somebody asks for the row. One codec for every row, so that contents can be sealed
 * later (DESIGN 4). Rows of older versions are values as they are; text that is no JSON is no row.
 */
export const rowCodec = {
  encode: (row: unknown): unknown => JSON.stringify(row),
  decode: (stored: unknown): unknown => (typeof stored === 'string' ? parsed(stored) : stored),
};

/** Of one row in UTF-8. A room takes 16 MiB at once, and a row goes over whole. */
export const ROW_BYTES = 15 * 1024 * 1024;

/** A row as it is stored. Throws SyscallError 413 on one that could never reach another replica. */
export function storableRow(row: unknown): unknown {
  const stored = rowCodec.encode(row);
  if (typeof stored === 'string' && isLongerThan(stored, ROW_BYTES))
    throw new SyscallError(
      413,
      'This is too long: 15 MiB can be kept in one piece. Put it in a file instead.',
    );
  return stored;
}

/** Rows that are kept read although their tables may have lost them. */
const KEPT_READ = 64;

/**
 * A typed table over one Y.Map: plain JSON rows by a sortable key. A stored row that is not what the schema says
 * (damaged, or of an unknown version) is not returned; it stays where it is.
 */
export class Table<Schema extends TObject> {
  readonly #map: Y.Map<unknown>;
  readonly #schema: Schema;
  /** Rows as they were last read: each stored value is read and checked once. Forgotten when they are too many. */
  readonly #read = new Map<string, { stored: unknown; row: Static<Schema> }>();
  #most = KEPT_READ;

  constructor(doc: Y.Doc, name: string, schema: Schema) {
    this.#map = doc.getMap(name);
    this.#schema = schema;
  }

  get size(): number {
    return this.#map.size;
  }

  get(key: string): Static<Schema> | undefined {
    return this.#decode(key, this.#map.get(key));
  }

  /** A row that is there already is not written again. Throws 413 on one that is too long. */
  put(key: string, row: Static<Schema>): void {
    const stored = storableRow(row);
    if (this.#map.get(key) !== stored) this.#map.set(key, stored);
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
      const row = this.#decode(key, stored);
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

  #decode(key: string, stored: unknown): Static<Schema> | undefined {
    if (stored === undefined) return undefined;
    const known = this.#read.get(key);
    if (known?.stored === stored) return known.row;
    const row = rowCodec.decode(stored);
    if (!matches(this.#schema, row)) return undefined;
    this.#keep(key, stored, row as Static<Schema>);
    return row as Static<Schema>;
  }

  #keep(key: string, stored: unknown, row: Static<Schema>): void {
    if (this.#read.size >= this.#most) {
      this.#read.clear();
      this.#most = Math.max(KEPT_READ, 2 * this.#map.size);
    }
    this.#read.set(key, { stored, row });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
