import { type Static, Type } from 'typebox';
import type * as Y from 'yjs';
import { Table } from '../../state/table.ts';
import { toHex } from '../../std/bytes.ts';
import type { Random } from '../../std/random.ts';
import { literals, optional } from '../../syscalls/declare.ts';

/** Where the bytes of a file are: small ones in the row, others in the blob store. */
const Content = Type.Union([
  Type.Object({ text: Type.String() }),
  Type.Object({ base64: Type.String() }),
  Type.Object({ blob: Type.String({ pattern: '^[0-9a-f]{64}$' }) }),
]);
export type Content = Static<typeof Content>;

export const InodeRow = Type.Object({
  /** Inode of the directory it is in; the root's is empty. */
  parent: Type.String(),
  name: Type.String(),
  kind: literals(['file', 'dir', 'symlink']),
  mode: Type.Integer({ minimum: 0, maximum: 0o7777 }),
  uid: Type.Integer({ minimum: 0 }),
  gid: Type.Integer({ minimum: 0 }),
  /** Bytes of the contents; 0 for directories. */
  size: Type.Integer({ minimum: 0 }),
  mtime: Type.Integer({ minimum: 0 }),
  /** Files only. */
  content: optional(Content),
  /** Symbolic links only. */
  target: optional(Type.String()),
});
export type InodeRow = Static<typeof InodeRow>;
export type Inode = InodeRow & { readonly ino: string };
export type Entry = { name: string; inode: Inode };

export const ROOT_INO = '/';
/** Marks the later of two entries that were given one name on replicas apart from each other. */
const TWIN = '.~';
const TWIN_DIGITS = 8;
const INO_BYTES = 8;

/**
 * The inodes of the `fs` document with an index by directory and name. Invariants:
 * 1. The index is what the table says, as of the last transaction on the document, whoever made it.
 * 2. Two entries with one name in one directory both stay reachable: the lower inode has the name,
 *    the other is shown as `name.~<first 8 digits of its inode>` on every replica alike.
 */
export class Inodes {
  readonly #doc: Y.Doc;
  readonly #table: Table<typeof InodeRow>;
  readonly #random: Random;
  readonly #nodes = new Map<string, Inode>();
  readonly #entries = new Map<string, Map<string, string[]>>();
  readonly #references = new Map<string, number>();
  readonly #stop: () => void;

  constructor(doc: Y.Doc, random: Random) {
    this.#doc = doc;
    this.#random = random;
    this.#table = new Table(doc, 'inodes', InodeRow);
    for (const [ino, row] of this.#table.entries()) this.#add({ ...row, ino });
    this.#stop = this.#table.observe((keys) => {
      for (const ino of keys) this.#refresh(ino);
    });
  }

  close(): void {
    this.#stop();
  }

  get(ino: string): Inode | undefined {
    return this.#nodes.get(ino);
  }

  child(directory: string, name: string): Inode | undefined {
    const entries = this.#entries.get(directory);
    const ino = entries?.get(name)?.[0] ?? twin(entries, name);
    return ino === undefined ? undefined : this.#nodes.get(ino);
  }

  /** Entries in no particular order. */
  *children(directory: string): Generator<Entry> {
    for (const [name, inos] of this.#entries.get(directory) ?? []) {
      for (const [at, ino] of inos.entries()) {
        const inode = this.#nodes.get(ino);
        if (inode) yield { name: at === 0 ? name : name + TWIN + ino.slice(0, TWIN_DIGITS), inode };
      }
    }
  }

  isEmpty(directory: string): boolean {
    return (this.#entries.get(directory)?.size ?? 0) === 0;
  }

  /** How many files have their bytes in this blob. */
  references(hash: string): number {
    return this.#references.get(hash) ?? 0;
  }

  create(row: InodeRow, ino: string = toHex(this.#random.bytes(INO_BYTES))): Inode {
    this.#table.put(ino, row);
    return { ...row, ino };
  }

  /** Changes fields of an inode that exists. `content: undefined` cannot be asked for. */
  update(ino: string, changes: Partial<InodeRow>): void {
    this.#table.patch(ino, changes);
  }

  remove(inos: Iterable<string>): void {
    this.transact(() => {
      for (const ino of inos) this.#table.delete(ino);
    });
  }

  /** Makes several changes one update. The index shows them when `change` has returned. */
  transact(change: () => void): void {
    this.#doc.transact(change);
  }

  #refresh(ino: string): void {
    const before = this.#nodes.get(ino);
    if (before) this.#drop(before);
    const row = this.#table.get(ino);
    if (row) this.#add({ ...row, ino });
  }

  #add(inode: Inode): void {
    this.#nodes.set(inode.ino, inode);
    this.#refer(inode, 1);
    if (inode.ino === ROOT_INO) return;
    const entries = this.#entries.get(inode.parent) ?? new Map<string, string[]>();
    this.#entries.set(inode.parent, entries);
    const twins = entries.get(inode.name);
    if (twins) twins.splice(lowerThan(twins, inode.ino), 0, inode.ino);
    else entries.set(inode.name, [inode.ino]);
  }

  #drop(inode: Inode): void {
    this.#nodes.delete(inode.ino);
    this.#refer(inode, -1);
    const entries = this.#entries.get(inode.parent);
    const left = entries?.get(inode.name)?.filter((ino) => ino !== inode.ino) ?? [];
    if (left.length > 0) entries?.set(inode.name, left);
    else entries?.delete(inode.name);
    if (entries?.size === 0) this.#entries.delete(inode.parent);
  }

  #refer(inode: Inode, change: 1 | -1): void {
    const hash = blobOf(inode);
    if (hash === undefined) return;
    const count = this.references(hash) + change;
    if (count > 0) this.#references.set(hash, count);
    else this.#references.delete(hash);
  }
}

export function blobOf(inode: InodeRow): string | undefined {
  return inode.content && 'blob' in inode.content ? inode.content.blob : undefined;
}

function lowerThan(inos: readonly string[], ino: string): number {
  return inos.filter((other) => other < ino).length;
}

function twin(entries: Map<string, string[]> | undefined, shown: string): string | undefined {
  const at = shown.length - TWIN_DIGITS - TWIN.length;
  if (!entries || at < 1 || !shown.startsWith(TWIN, at)) return undefined;
  const digits = shown.slice(at + TWIN.length);
  return entries
    .get(shown.slice(0, at))
    ?.slice(1)
    .find((ino) => ino.startsWith(digits));
}
