import type { Credentials } from './credentials.ts';
import { FsError } from './fs-error.ts';
import { type Inode, ROOT_INO } from './inode-row.ts';
import type { Inodes } from './inodes.ts';
import { isLostDirectory } from './lost-found.ts';
import { type Access, allows, mayUnlink } from './permissions.ts';
import type { NodeKind, ViewNode } from './views/view.ts';
import { type Mounts, type Place, walk } from './walk.ts';

export type FileStat = {
  kind: NodeKind;
  mode: number;
  uid: number;
  gid: number;
  /** Bytes. */
  size: number;
  /** Milliseconds since the epoch. */
  mtime: number;
  /** Identity of an inode; the path of a node in a view. */
  ino: string;
};
export type DirEntry = { name: string; kind: NodeKind };
export type InodePlace = Place & { kind: 'inode' };
export type MissingPlace = Place & { kind: 'missing' };
export type ViewPlace = Place & { kind: 'view' };

/** Where paths lead, and whether the caller may do there what it wants to. Every method throws FsError. */
export class Places {
  readonly #inodes: Inodes;
  readonly #mounts: Mounts;

  constructor(inodes: Inodes, mounts: Mounts) {
    this.#inodes = inodes;
    this.#mounts = mounts;
  }

  find(path: string, caller: Credentials, follow: boolean): Place {
    return walk(this.#inodes, this.#mounts, path, caller, follow);
  }

  async stat(place: Place, path: string, caller: Credentials): Promise<FileStat> {
    if (place.kind === 'missing') throw new FsError('ENOENT', path);
    if (place.kind === 'inode') {
      const { kind, mode, uid, gid, size, mtime, ino } = place.inode;
      return { kind, mode, uid, gid, size, mtime, ino };
    }
    const node = await place.view.stat(place.inner, caller);
    if (!node) throw new FsError('ENOENT', path);
    const isRead = node.kind === 'file' && node.size === undefined && allows(node, caller, 'read');
    const size = isRead ? (await place.view.read(place.inner, caller)).length : 0;
    return { ...node, size, mtime: 0, ino: place.path };
  }

  /** What is there, for a caller with this access to it. */
  async demand(path: string, caller: Credentials, access: Access): Promise<InodePlace | ViewPlace> {
    const place = this.find(path, caller, true);
    if (place.kind === 'missing') throw new FsError('ENOENT', path);
    const node = place.kind === 'inode' ? place.inode : await place.view.stat(place.inner, caller);
    if (!node) throw new FsError('ENOENT', path);
    if (!allows(node, caller, access)) throw new FsError('EACCES', path);
    return place;
  }

  async kindOf(place: InodePlace | ViewPlace, caller: Credentials): Promise<NodeKind | undefined> {
    if (place.kind === 'inode') return place.inode.kind;
    return (await place.view.stat(place.inner, caller))?.kind;
  }

  /** What a directory holds, in no particular order. */
  list(place: InodePlace | ViewPlace, caller: Credentials): Promise<DirEntry[]> {
    return place.kind === 'view' ? this.#inView(place, caller) : Promise.resolve(this.#inInode(place.inode));
  }

  /** Where the caller may write a file's contents: an old file, a new one, or a view's. */
  async writable(path: string, caller: Credentials): Promise<Place> {
    const place = this.writableNow(path, caller);
    if (place.kind === 'view') demandWrite(await place.view.stat(place.inner, caller), path, caller);
    return place;
  }

  /** As `writable`, of this very moment; what is in a view is not looked at. */
  writableNow(path: string, caller: Credentials): Place {
    const place = this.find(path, caller, true);
    if (place.kind === 'missing') {
      if (path.endsWith('/')) throw new FsError('EISDIR', path);
      this.demandChange(place.directory, path, caller);
    } else if (place.kind === 'inode') demandWrite(place.inode, path, caller);
    return place;
  }

  /** An inode that the caller may take out of its directory; a link itself, not what it names. */
  removable(path: string, caller: Credentials): InodePlace | MissingPlace {
    const place = this.find(path, caller, false);
    if (place.kind === 'view') throw new FsError(place.inner.length === 0 ? 'EPERM' : 'EROFS', path);
    if (place.kind === 'missing') return place;
    if (place.inode.ino === ROOT_INO || isLostDirectory(place.inode.ino)) throw new FsError('EPERM', path);
    const directory = this.parentOf(place.inode);
    this.demandChange(directory, path, caller);
    if (!mayUnlink(directory, place.inode, caller)) throw new FsError('EPERM', path);
    return place;
  }

  /** An inode whose mode and owner the caller may change. */
  owned(path: string, caller: Credentials): Inode {
    const place = this.find(path, caller, true);
    if (place.kind === 'missing') throw new FsError('ENOENT', path);
    if (place.kind === 'view') throw new FsError('EROFS', path);
    if (isLostDirectory(place.inode.ino)) throw new FsError('EPERM', path);
    if (caller.uid !== 0 && caller.uid !== place.inode.uid) throw new FsError('EPERM', path);
    return place.inode;
  }

  /** Requires the right to add and remove entries of a directory. */
  demandChange(directory: Inode, path: string, caller: Credentials): void {
    if (directory.kind !== 'dir') throw new FsError('ENOTDIR', path);
    if (!allows(directory, caller, 'write') || !allows(directory, caller, 'execute'))
      throw new FsError('EACCES', path);
  }

  async #inView({ view, inner }: ViewPlace, caller: Credentials): Promise<DirEntry[]> {
    const names = await view.list(inner, caller);
    const kindOf = async (name: string) => (await view.stat([...inner, name], caller))?.kind ?? 'file';
    return Promise.all(names.map(async (name) => ({ name, kind: await kindOf(name) })));
  }

  #inInode(directory: Inode): DirEntry[] {
    const entries: DirEntry[] = [];
    for (const { name, inode } of this.#inodes.children(directory.ino))
      entries.push({ name, kind: inode.kind });
    if (directory.ino !== ROOT_INO) return entries;
    const top = [...this.#mounts.keys()].filter((path) => path.lastIndexOf('/') === 0);
    const mounted = top.map((path): DirEntry => ({ name: path.slice(1), kind: 'dir' }));
    return [...entries.filter(({ name }) => !this.#mounts.has(`/${name}`)), ...mounted];
  }

  parentOf(inode: Inode): Inode {
    const parent = this.#inodes.get(inode.parent);
    if (!parent) throw new FsError('EIO', inode.name, 'its directory is missing');
    return parent;
  }

  /** Whether `directory` is `ancestor` or below it. */
  isInside(directory: Inode, ancestor: Inode): boolean {
    for (let at: Inode | undefined = directory; at; at = this.#inodes.get(at.parent)) {
      if (at.ino === ancestor.ino) return true;
    }
    return false;
  }

  /** The inode and everything below it, parents first; every directory on the way must be the caller's to empty. */
  subtree(top: Inode, path: string, caller: Credentials): Inode[] {
    const found = [top];
    for (const inode of found) {
      if (inode.kind !== 'dir' || this.#inodes.isEmpty(inode.ino)) continue;
      this.demandChange(inode, path, caller);
      for (const { inode: child } of this.#inodes.children(inode.ino)) {
        if (!mayUnlink(inode, child, caller)) throw new FsError('EPERM', path);
        found.push(child);
      }
    }
    return found;
  }
}

function demandWrite(node: Inode | ViewNode | undefined, path: string, caller: Credentials): void {
  if (node?.kind === 'dir') throw new FsError('EISDIR', path);
  if (node && !allows(node, caller, 'write')) throw new FsError('EACCES', path);
}
