import { Type } from 'typebox';
import * as Y from 'yjs';
import { Table } from '../../state/table.ts';
import { fromBase64, toBase64 } from '../../std/bytes.ts';
import { NO_HASH, type WriterCount } from './entry.ts';
import { Heads } from './heads.ts';
import type { LogPlace } from './log-reader.ts';
import type { OwnEntry } from './log-writer.ts';

/** Of this replica alone: how far it has read each log. Written with what it read. */
export const LOGS_DOC = 'logs';

const Count = Type.Integer({ minimum: 0 });
const PlaceRow = Type.Object({
  seq: Count,
  hash: Type.String(),
  heads: Type.Array(Type.Object({ writer: Type.String(), n: Count, hash: Type.String() })),
});
const ExpectedRow = Type.Object({ counts: Type.Array(Type.Object({ writer: Type.String(), n: Count })) });
const BaseRow = Type.Object({ vector: Type.String() });

/** How far this replica has read each log, and what of each document is known to be in its log. */
export class LogPlaces {
  readonly #doc: Y.Doc;
  readonly #places: Table<typeof PlaceRow>;
  readonly #bases: Table<typeof BaseRow>;
  readonly #expected: Table<typeof ExpectedRow>;
  readonly #sent = new Map<string, readonly OwnEntry[]>();

  constructor(doc: Y.Doc) {
    this.#doc = doc;
    this.#places = new Table(doc, 'places', PlaceRow);
    this.#bases = new Table(doc, 'bases', BaseRow);
    this.#expected = new Table(doc, 'expected', ExpectedRow);
  }

  get(name: string): LogPlace {
    const row = this.#places.get(name);
    return { seq: row?.seq ?? 0, hash: row?.hash ?? NO_HASH, heads: new Heads(row?.heads) };
  }

  /** How much this replica has read of each log. */
  *counts(): Iterable<[string, WriterCount[]]> {
    for (const [name, { heads }] of this.#places.entries()) yield [name, heads];
  }

  /** What another replica knew to be in a log, until this one has read as much. */
  expected(name: string): readonly WriterCount[] {
    return this.#expected.get(name)?.counts ?? [];
  }

  expect(name: string, counts: readonly WriterCount[]): void {
    this.#expected.put(name, { counts: counts.map(({ writer, n }) => ({ writer, n })) });
  }

  /** All that was expected of a log was there. */
  met(name: string): void {
    if (this.#expected.get(name)) this.#expected.delete(name);
  }

  /** What `change` notes is one change. */
  together(change: () => void): void {
    Y.transact(this.#doc, change);
  }

  /** Called in the same turn as the change that was read, so that both reach the disk in one write. */
  put(name: string, { seq, hash, heads }: LogPlace): void {
    this.#places.put(name, { seq, hash, heads: heads.list() });
  }

  /** The whole log is read when it is opened next. What is known of it stays. */
  doubt(name: string): void {
    this.#places.patch(name, { seq: 0, hash: NO_HASH });
  }

  /** A state vector of which the log holds everything; undefined when none is known. */
  base(name: string): Uint8Array | undefined {
    const row = this.#bases.get(name);
    return row && fromBase64(row.vector);
  }

  setBase(name: string, vector: Uint8Array): void {
    this.#bases.put(name, { vector: toBase64(vector) });
  }

  /**
   * Entries that were sent and not confirmed when a channel ended, oldest first. Whoever else may have read them: the
   * same numbers are never given to other contents while this kernel runs.
   */
  sent(name: string): readonly OwnEntry[] {
    return this.#sent.get(name) ?? [];
  }

  setSent(name: string, entries: readonly OwnEntry[]): void {
    if (entries.length > 0) this.#sent.set(name, entries);
    else this.#sent.delete(name);
  }

  forget(name: string): void {
    this.#sent.delete(name);
    this.#places.delete(name);
    this.#bases.delete(name);
    this.#expected.delete(name);
  }
}
