import { type Inode, ROOT_INO } from './inode-row.ts';
import { isLostDirectory, LOST_INO, LOST_NAME, lostDirectory, lostDirectoryOf } from './lost-found.ts';

export type Entry = { name: string; inode: Inode };
type Names = Map<string, string[]>;

/** Marks the later of two entries that were given one name on replicas apart from each other. */
const TWIN = '.~';
const TWIN_DIGITS = 8;

/**
 * The tree that a set of inodes makes, whatever it is. Invariants:
 * 1. The order in which inodes came and went makes no difference.
 * 2. Every inode is reachable from the root exactly once. Two of one name in one directory: the lower inode has the name,
 *    the other is shown as `name.~<first 8 digits of its inode>`. One whose directory is gone, and of directories that
 *    were moved into each other the lowest inode: in `/lost+found/<uid>`.
 */
export class TreeIndex {
  readonly #nodes = new Map<string, Inode>();
  readonly #entries = new Map<string, Names>();
  /** Directories that have entries and are not there. */
  readonly #missing = new Set<string>();
  /** Directories that lie in each other, under the lowest inode of each ring. */
  readonly #rings = new Map<string, ReadonlySet<string>>();

  /** As it is shown: the directory of a stray is in `/lost+found`. */
  get(ino: string): Inode | undefined {
    const node = this.#nodes.get(ino);
    if (node) return this.#isStray(node) ? { ...node, parent: lostDirectoryOf(node.uid) } : node;
    return this.#hasStrays() ? this.#lost(ino) : undefined;
  }

  child(directory: string, name: string): Inode | undefined {
    const entries = this.#shown(directory);
    const ino = entries?.get(name)?.[0] ?? twin(entries, name);
    return ino === undefined ? undefined : this.get(ino);
  }

  /** Entries in no particular order. */
  *children(directory: string): Generator<Entry> {
    for (const [name, inos] of this.#shown(directory) ?? []) {
      for (const [at, ino] of inos.entries()) {
        const inode = this.get(ino);
        if (inode) yield { name: at === 0 ? name : name + TWIN + ino.slice(0, TWIN_DIGITS), inode };
      }
    }
  }

  isEmpty(directory: string): boolean {
    return (this.#shown(directory)?.size ?? 0) === 0;
  }

  /** Where an inode is shown, without regard to twins. */
  pathOf(ino: string): string {
    const names: string[] = [];
    for (let at = this.get(ino); at && at.ino !== ROOT_INO; at = this.get(at.parent)) names.unshift(at.name);
    return `/${names.join('/')}`;
  }

  /** Inodes that have no place of their own, as they are shown. */
  strays(): Inode[] {
    const orphans = [...this.#missing].flatMap((directory) =>
      [...(this.#entries.get(directory)?.values() ?? [])].flat(),
    );
    return [...orphans, ...this.#rings.keys()].flatMap((ino) => this.get(ino) ?? []);
  }

  put(inode: Inode): void {
    const before = this.#nodes.get(inode.ino);
    if (before) this.#drop(before);
    this.#add(inode);
    if (inode.kind === 'dir' && before?.parent !== inode.parent) this.#findRing(inode.ino);
  }

  delete(ino: string): void {
    const before = this.#nodes.get(ino);
    if (!before) return;
    this.#drop(before);
    if (this.#entries.has(ino)) this.#missing.add(ino);
    if (before.kind === 'dir') this.#findRing(ino);
  }

  #add(inode: Inode): void {
    this.#nodes.set(inode.ino, inode);
    this.#missing.delete(inode.ino);
    if (inode.ino === ROOT_INO) return;
    const entries = this.#entries.get(inode.parent) ?? new Map<string, string[]>();
    this.#entries.set(inode.parent, entries);
    insert(entries, inode.name, inode.ino);
    if (!this.#nodes.has(inode.parent)) this.#missing.add(inode.parent);
  }

  #drop(inode: Inode): void {
    this.#nodes.delete(inode.ino);
    const entries = this.#entries.get(inode.parent);
    const left = entries?.get(inode.name)?.filter((ino) => ino !== inode.ino) ?? [];
    if (left.length > 0) entries?.set(inode.name, left);
    else entries?.delete(inode.name);
    if (entries?.size !== 0) return;
    this.#entries.delete(inode.parent);
    this.#missing.delete(inode.parent);
  }

  /** A ring is made and broken only by a change of one of its directories, here `ino`. */
  #findRing(ino: string): void {
    for (const [lowest, ring] of this.#rings) if (ring.has(ino)) this.#rings.delete(lowest);
    const way = new Set<string>();
    let at = this.#nodes.get(ino);
    while (at && !way.has(at.ino)) {
      way.add(at.ino);
      at = this.#nodes.get(at.parent);
    }
    if (at?.ino === ino && ino !== ROOT_INO) this.#rings.set([...way].sort()[0] ?? ino, way);
  }

  #hasStrays(): boolean {
    return this.#missing.size > 0 || this.#rings.size > 0;
  }

  #isStray({ ino, parent }: Inode): boolean {
    return ino !== ROOT_INO && (!this.#nodes.has(parent) || this.#rings.has(ino));
  }

  #lost(ino: string): Inode | undefined {
    const uid = isLostDirectory(ino) ? this.strays().find((stray) => stray.parent === ino)?.uid : undefined;
    return ino === LOST_INO || uid !== undefined ? lostDirectory(ino, uid) : undefined;
  }

  /** The entries of a directory as they are shown. */
  #shown(directory: string): Names | undefined {
    const entries = this.#entries.get(directory);
    if (!this.#hasStrays()) return entries;
    if (isLostDirectory(directory)) return this.#lostEntries(directory);
    const cut = [...this.#rings.keys()].filter((ino) => this.#nodes.get(ino)?.parent === directory);
    if (cut.length === 0 && directory !== ROOT_INO) return entries;
    const shown: Names = new Map();
    for (const [name, inos] of entries ?? []) {
      const here = inos.filter((ino) => !cut.includes(ino));
      if (here.length > 0) shown.set(name, here);
    }
    if (directory === ROOT_INO) insert(shown, LOST_NAME, LOST_INO);
    return shown;
  }

  #lostEntries(directory: string): Names {
    const shown: Names = new Map();
    for (const { ino, name, uid, parent } of this.strays()) {
      if (directory === parent) insert(shown, name, ino);
      else if (directory === LOST_INO) shown.set(String(uid), [parent]);
    }
    return shown;
  }
}

/** Adds to the inodes of one name, which are sorted. */
function insert(entries: Names, name: string, ino: string): void {
  const twins = entries.get(name);
  if (!twins) entries.set(name, [ino]);
  else twins.splice(twins.filter((other) => other < ino).length, 0, ino);
}

function twin(entries: Names | undefined, shown: string): string | undefined {
  const at = shown.length - TWIN_DIGITS - TWIN.length;
  if (!entries || at < 1 || !shown.startsWith(TWIN, at)) return undefined;
  const digits = shown.slice(at + TWIN.length);
  return entries
    .get(shown.slice(0, at))
    ?.slice(1)
    .find((ino) => ino.startsWith(digits));
}
