import { type Static, Type } from 'typebox';

export const JournalRecord = Type.Object({
  key: Type.String(),
  call: Type.String(),
  time: Type.Number(),
  /** `void`: it came to nothing and may be run again. */
  state: Type.Enum(['started', 'done', 'void']),
  result: Type.Optional(Type.Unknown()),
});
export type JournalRecord = Static<typeof JournalRecord>;
/** Where a record lies in the store, in bytes; `length` counts its line break. */
export type Place = { at: number; length: number };

/**
 * Where a journal's records are kept, in the order in which they were appended. Every method may be slow and may
 * reject; operations happen one after another in the order they were asked for. The journal closes the store.
 */
export interface JournalStore {
  /** Bytes. */
  readonly size: number;
  /** Reads every whole record, once, before anything is appended. */
  scan(found: (record: JournalRecord, place: Place) => void): Promise<void>;
  /**
   * Appends and tells the place before anything else happens to the store. `durable` resolves when the record
   * survives a loss of power, `written` when it survives this program.
   */
  append(record: JournalRecord, how: 'durable' | 'written', learn: (place: Place) => void): Promise<void>;
  /** The record at a place, wherever a rewrite before this has moved it. Undefined when it cannot be read. */
  read(place: Readonly<Place>): Promise<JournalRecord | undefined>;
  /** Keeps these records alone and tells each its new place. */
  rewrite(kept: Iterable<Place>): Promise<void>;
  close(): Promise<void>;
}
