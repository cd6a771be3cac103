import type { Static, TSchema } from 'typebox';
import type * as Y from 'yjs';
import { matches } from '../std/matches.ts';
import { rowCodec, storableRow } from './row-codec.ts';

/** One row of its own under a fixed key of a Y.Map. A stored value that is not what the schema says reads as absent. */
export class Cell<Schema extends TSchema> {
  readonly #map: Y.Map<unknown>;
  readonly #key: string;
  readonly #schema: Schema;
  /** The row of one stored value, which is replaced and never changed: it is checked once. */
  #decoded: { stored: unknown; row: Static<Schema> } | null = null;

  constructor(map: Y.Map<unknown>, key: string, schema: Schema) {
    this.#map = map;
    this.#key = key;
    this.#schema = schema;
  }

  get(): Static<Schema> | undefined {
    const stored = this.#map.get(this.#key);
    if (stored === undefined) return undefined;
    if (this.#decoded?.stored === stored) return this.#decoded.row;
    const row = rowCodec.decode(stored);
    if (!matches(this.#schema, row)) return undefined;
    this.#decoded = { stored, row: row as Static<Schema> };
    return this.#decoded.row;
  }

  /** A row that is there already is not written again. Throws 413 on one that is too long. */
  set(row: Static<Schema>): void {
    const stored = storableRow(row);
    if (this.#map.get(this.#key) !== stored) this.#map.set(this.#key, stored);
  }

  clear(): void {
    if (this.#map.has(this.#key)) this.#map.delete(this.#key);
  }
}
