import type { Static, TSchema } from 'typebox';
import { Value } from 'typebox/value';
import type * as Y from 'yjs';
import { rowCodec } from './table.ts';

/** One row of its own under a fixed key of a Y.Map. A stored value that is not what the schema says reads as absent. */
export class Cell<Schema extends TSchema> {
  readonly #map: Y.Map<unknown>;
  readonly #key: string;
  readonly #schema: Schema;

  constructor(map: Y.Map<unknown>, key: string, schema: Schema) {
    this.#map = map;
    this.#key = key;
    this.#schema = schema;
  }

  get(): Static<Schema> | undefined {
    const stored = this.#map.get(this.#key);
    if (stored === undefined) return undefined;
    const row = rowCodec.decode(stored);
    return Value.Check(this.#schema, row) ? (row as Static<Schema>) : undefined;
  }

  set(row: Static<Schema>): void {
    this.#map.set(this.#key, rowCodec.encode(row));
  }

  clear(): void {
    if (this.#map.has(this.#key)) this.#map.delete(this.#key);
  }
}
