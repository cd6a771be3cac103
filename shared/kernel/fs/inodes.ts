import type * as Y from 'yjs';
import { Table } from '../../state/table.ts';
import { toHex } from '../../std/bytes.ts';
import type { Random } from '../../std/random.ts';
import { causedIno, INO_BYTES } from './caused-ino.ts';
import { conflictCopy } from './conflict-copy.ts';
import { aspectOf, blobOf, type Inode, type InodeFields, InodeRow, inoOf, rowKey } from './inode-row.ts';
import { type Merged, mergeRows } from './merge-rows.ts';
import { TakeBacks } from './take-backs.ts';
import { type Entry, TreeIndex } from './tree-index.ts';
import { stampOf, type Version } from './versions.ts';

/**
 * What replicas did apart and nobody lost: `edited` contents of one file, of which `path` has the newer and `keptPath` the
 * others; `lost` a file called `path` whose directory is gone, now `keptPath`. `id` follows from the cause.
 */
export type FileConflict = {
  kind: 'edited' | 'lost';
  id: string;
  uid: number;
  path: string;
  keptPath: string;
};

export type InodeParts = {
  /** The `fs` document, loaded. */
  doc: Y.Doc;
  random: Random;
  /** This replica's index: no other replica writes under it. */
  writer: () => number;
  /** Called on every replica that kept both, with the same id. */
  onConflict: (conflict: FileConflict) => void;
};

/**
 * The inodes of the `fs` document with an index by directory and name. Invariants:
 * 1. A replica writes the rows of an inode under keys of its own, `<ino>@<replica index>`, and takes away those that it
 *    has seen. So what two replicas write apart stands side by side until somebody sees both: nothing is lost in the
 *    document. A key without an index is a row that follows from its cause (a seed, a kept copy) and is the same wherever it is made.
 * 2. An inode is what `mergeRows` says of its rows, the tree what `TreeIndex` says of the inodes: replicas with the same
 *    rows show the same tree.
 * 3. The index is what the table says, as of the last transaction on the document, whoever made it.
 */
export class Inodes {
  readonly #parts: InodeParts;
  readonly #table: Table<typeof InodeRow>;
  readonly #index = new TreeIndex();
  readonly #takeBacks = new TakeBacks({
    read: (ino) => this.#merged(ino)?.row,
    own: (ino) => this.#table.get(rowKey(ino, this.#parts.writer())),
    restore: (ino, row) => {
      const key = rowKey(ino, this.#parts.writer());
      if (row) this.#put(ino, key, row);
      else this.#table.delete(key);
    },
  });
  /** Keys of the rows of each inode. */
  readonly #keys = new Map<string, readonly string[]>();
  readonly #references = new Map<string, number>();
  readonly #listeners = new Set<() => void>();
  readonly #stop: () => void;
  /** By replica, the latest change that any row has known of: so a number of ours is never used twice. */
  readonly #seen = new Map<string, number>();

  constructor(parts: InodeParts) {
    this.#parts = parts;
    this.#table = new Table(parts.doc, 'inodes', InodeRow);
    this.#stop = this.#table.observe((keys) => this.#changed(keys));
    this.#changed(this.#table.keys());
  }

  close(): void {
    this.#stop();
  }

  /** Calls back when the tree has changed, whoever changed it. The returned function ends it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Makes changes (`change` must not await) and answers with what takes them back. */
  takeable(change: () => void): () => void {
    let takeBack = (): void => {};
    this.transact(() => {
      takeBack = this.#takeBacks.takeable(change);
    });
    return () => this.transact(takeBack);
  }

  get(ino: string): Inode | undefined {
    return this.#index.get(ino);
  }

  child(directory: string, name: string): Inode | undefined {
    return this.#index.child(directory, name);
  }

  /** Entries in no particular order. */
  children(directory: string): Generator<Entry> {
    return this.#index.children(directory);
  }

  isEmpty(directory: string): boolean {
    return this.#index.isEmpty(directory);
  }

  pathOf(ino: string): string {
    return this.#index.pathOf(ino);
  }

  /** What is in `/lost+found`. */
  strays(): Inode[] {
    return this.#index.strays();
  }

  /** Every blob that a file has its bytes in. */
  referred(): Iterable<string> {
    return this.#references.keys();
  }

  /** How many files have their bytes in this blob. */
  references(hash: string): number {
    return this.#references.get(hash) ?? 0;
  }

  create(fields: InodeFields): Inode {
    const { random, writer } = this.#parts;
    const ino = toHex(random.bytes(INO_BYTES));
    const count = this.#nextCount();
    const stamp = stampOf(writer(), count);
    const stamps = { contents: stamp, place: stamp, access: stamp };
    const row: InodeRow = { ...fields, version: { [writer()]: count }, stamps };
    this.#write(ino, row);
    return { ...row, ino };
  }

  /** As `create`, for an entry that every replica makes by itself: its inode follows from its place. */
  createOnce(fields: InodeFields): void {
    const ino = causedIno('entry', fields.parent, fields.name);
    if (this.#keys.has(ino)) this.create(fields);
    else this.seed(ino, fields);
  }

  /** Writes what follows from its cause alone and is nobody's change. */
  seed(ino: string, fields: InodeFields): void {
    this.#put(ino, ino, fields);
  }

  /** Changes fields of an inode; one that is not there stays away. `content: undefined` cannot be asked for. */
  update(ino: string, changes: Partial<InodeFields>): void {
    const merged = this.#merged(ino);
    if (!merged) return;
    const writer = this.#parts.writer();
    const count = this.#nextCount();
    const stamps = { ...merged.row.stamps };
    for (const field of Object.keys(changes) as (keyof InodeFields)[]) {
      const aspect = aspectOf[field];
      if (aspect) stamps[aspect] = stampOf(writer, count);
    }
    const version = { ...merged.row.version, [writer]: count };
    this.#write(ino, { ...merged.row, ...changes, version, stamps });
  }

  remove(inos: Iterable<string>): void {
    this.transact(() => {
      for (const ino of inos) this.#removeRows(ino);
    });
  }

  /** Makes several changes one update. The index shows them when `change` has returned. */
  transact(change: () => void): void {
    this.#parts.doc.transact(change);
  }

  /** The number of one more change by this replica. */
  #nextCount(): number {
    const writer = String(this.#parts.writer());
    const count = (this.#seen.get(writer) ?? 0) + 1;
    this.#seen.set(writer, count);
    return count;
  }

  /** Replaces all rows of an inode that this replica has seen. */
  #write(ino: string, row: InodeRow): void {
    this.transact(() => {
      const key = rowKey(ino, this.#parts.writer());
      this.#removeRows(ino, key);
      this.#put(ino, key, row);
    });
  }

  #put(ino: string, key: string, row: InodeRow): void {
    this.#takeBacks.changing(ino);
    this.#table.put(key, row);
    this.#noteKey(ino, key);
  }

  #removeRows(ino: string, except?: string): void {
    this.#takeBacks.changing(ino);
    for (const key of this.#keys.get(ino) ?? []) if (key !== except) this.#table.delete(key);
  }

  #merged(ino: string): Merged | undefined {
    const [first, ...others] = (this.#keys.get(ino) ?? []).flatMap((key) => this.#table.get(key) ?? []);
    return first && mergeRows(first, ...others);
  }

  #changed(keys: Iterable<string>): void {
    const inos = new Set<string>();
    for (const key of keys) {
      const ino = inoOf(key);
      inos.add(ino);
      if (this.#table.get(key)) this.#noteKey(ino, key);
      else this.#forgetKey(ino, key);
    }
    const apart = [...inos].filter((ino) => this.#refresh(ino));
    for (const listener of this.#listeners) listener();
    if (apart.length > 0) this.#keepBoth(apart);
  }

  #noteKey(ino: string, key: string): void {
    const keys = this.#keys.get(ino);
    if (!keys) this.#keys.set(ino, [key]);
    else if (!keys.includes(key)) this.#keys.set(ino, [...keys, key]);
  }

  #forgetKey(ino: string, key: string): void {
    const left = this.#keys.get(ino)?.filter((other) => other !== key) ?? [];
    if (left.length > 0) this.#keys.set(ino, left);
    else this.#keys.delete(ino);
  }

  /** Brings the index up to date. Whether contents were written apart. */
  #refresh(ino: string): boolean {
    const before = this.#index.get(ino);
    const merged = this.#merged(ino);
    if (before) this.#refer(before, -1);
    if (!merged) {
      this.#index.delete(ino);
      return false;
    }
    this.#note(merged.row.version);
    this.#index.put({ ...merged.row, ino });
    this.#refer(merged.row, 1);
    return merged.apart.length > 0;
  }

  #note(version: Version = {}): void {
    for (const writer of Object.keys(version)) {
      this.#seen.set(writer, Math.max(this.#seen.get(writer) ?? 0, version[writer] ?? 0));
    }
  }

  /**
   * Gives contents that were written apart files of their own, beside the newer ones. This is no change by a person: it
   * adds no number to the version, so replicas that do it at the same time write the same and have nothing to settle.
   */
  #keepBoth(inos: readonly string[]): void {
    const conflicts: FileConflict[] = [];
    this.transact(() => {
      for (const ino of inos) {
        const merged = this.#merged(ino);
        if (!merged) continue;
        for (const lost of merged.apart) conflicts.push(this.#keep(ino, merged.row, lost));
        this.#write(ino, merged.row);
      }
    });
    for (const conflict of conflicts) this.#parts.onConflict(conflict);
  }

  #keep(ino: string, kept: InodeRow, lost: InodeRow): FileConflict {
    const { ino: copy, ...row } = conflictCopy(ino, kept, lost);
    if (!this.#keys.has(copy)) this.#put(copy, copy, row);
    const path = this.#index.pathOf(ino);
    const keptPath = path.slice(0, path.lastIndexOf('/') + 1) + row.name;
    return { kind: 'edited', id: copy, uid: kept.uid, path, keptPath };
  }

  #refer(inode: InodeRow, change: 1 | -1): void {
    const hash = blobOf(inode);
    if (hash === undefined) return;
    const count = this.references(hash) + change;
    if (count > 0) this.#references.set(hash, count);
    else this.#references.delete(hash);
  }
}
