import { Type } from 'typebox';
import type * as Y from 'yjs';
import { Table } from '../../state/table.ts';
import type { Clock } from '../../std/clock.ts';

/** Of this replica alone: what its room has not confirmed. Written with the changes that it speaks of. */
export const OUTBOX_DOC = 'outbox';

/** A row is taken back this long after the last confirmation: who goes on writing does not rewrite it each time. */
const CLEAR_MS = 3_000;
const KEPT = 'outbox';

const Mark = Type.Object({});
const Notes = Type.Object({ at: Type.Integer({ minimum: 0 }) });

/**
 * What is to be told to the room, across restarts: documents that hold changes which it has not confirmed, documents
 * that were removed, blobs that nothing refers to any more. Invariant: a document without a row is confirmed.
 */
export class Outbox {
  readonly #doc: Y.Doc;
  readonly #clock: Clock;
  readonly #documents: Table<typeof Mark>;
  readonly #removed: Table<typeof Mark>;
  readonly #released: Table<typeof Mark>;
  readonly #notes: Table<typeof Notes>;
  /** Changes of each unconfirmed document that were made since this kernel started. */
  readonly #changes = new Map<string, number>();
  #cancelClear: (() => void) | null = null;

  constructor(doc: Y.Doc, clock: Clock) {
    this.#doc = doc;
    this.#clock = clock;
    this.#documents = new Table(doc, 'documents', Mark);
    this.#removed = new Table(doc, 'removed', Mark);
    this.#released = new Table(doc, 'released', Mark);
    this.#notes = new Table(doc, 'notes', Notes);
    for (const name of this.#documents.keys()) this.#changes.set(name, 0);
  }

  /** False on a disk from before there was an outbox: nothing is known to be confirmed then. */
  get kept(): boolean {
    return this.noted(KEPT) !== undefined;
  }

  /** Takes all of these as unconfirmed; from then on the outbox is kept. */
  begin(names: readonly string[]): void {
    this.#doc.transact(() => {
      for (const name of names) this.changed(name, 0);
      if (!this.kept) this.note(KEPT, this.#clock.now());
    });
  }

  /** Names of the documents with unconfirmed changes. */
  names(): IterableIterator<string> {
    return this.#changes.keys();
  }

  has(name: string): boolean {
    return this.#changes.has(name);
  }

  /** At least one for a document that has changes. */
  count(name: string): number {
    const changes = this.#changes.get(name);
    return changes === undefined ? 0 : Math.max(1, changes);
  }

  /** Called in the transaction of the change, so that both reach the disk in one write. */
  changed(name: string, changes = 1): void {
    this.#changes.set(name, (this.#changes.get(name) ?? 0) + changes);
    if (this.#documents.get(name) === undefined) this.#documents.put(name, {});
  }

  /** The room has stored everything of this document. */
  confirmed(name: string): void {
    if (!this.#changes.delete(name)) return;
    this.#cancelClear?.();
    this.#cancelClear = this.#clock.after(CLEAR_MS, () => this.#clear());
  }

  removed(name: string): void {
    this.#changes.delete(name);
    this.#doc.transact(() => {
      this.#documents.delete(name);
      this.#removed.put(name, {});
    });
  }

  /** Whether the room still has what this document was before it was removed here. */
  removing(name: string): boolean {
    return this.#removed.get(name) !== undefined;
  }

  /** Documents that the room has to remove. */
  removals(): string[] {
    return this.#removed.keys();
  }

  forgetRemovals(names: readonly string[]): void {
    this.#doc.transact(() => {
      for (const name of names) this.#removed.delete(name);
    });
  }

  released(hash: string): void {
    if (this.#released.get(hash) === undefined) this.#released.put(hash, {});
  }

  /** Blobs that the room need not keep. */
  releases(): string[] {
    return this.#released.keys();
  }

  forgetReleases(hashes: readonly string[]): void {
    this.#doc.transact(() => {
      for (const hash of hashes) this.#released.delete(hash);
    });
  }

  /** When something was last done on this replica. */
  noted(what: string): number | undefined {
    return this.#notes.get(what)?.at;
  }

  note(what: string, at: number): void {
    this.#notes.put(what, { at });
  }

  /** As if it had never been done. */
  unnote(what: string): void {
    this.#notes.delete(what);
  }

  stop(): void {
    this.#cancelClear?.();
  }

  #clear(): void {
    this.#cancelClear = null;
    this.#doc.transact(() => {
      for (const name of this.#documents.keys()) if (!this.#changes.has(name)) this.#documents.delete(name);
    });
  }
}
