import type { Credentials } from './credentials.ts';
import { FsError } from './fs-error.ts';
import { type Inode, ROOT_INO } from './inode-row.ts';
import type { Inodes } from './inodes.ts';
import { isLostDirectory } from './lost-found.ts';
import { type Access, allows, mayUnlink } from './permissions.ts';
import type { NodeKind } from './views/view.ts';
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

  stat(place: Place, path: string, caller: Credentials): FileStat {
    if (place.kind === 'missing') throw new FsError('ENOENT', path);
    if (place.kind === 'inode') {
      const { kind, mode, uid, gid, size, mtime, ino } = place.inode;
      return { kind, mode, uid, gid, size, mtime, ino };
    }
    const node = place.view.stat(place.inner, caller);
    if (!node) throw new FsError('ENOENT', path);
    const size =
      node.kind === 'file' && allows(node, caller, 'read') ? place.view.read(place.inner, caller).length : 0;
    return { ...node, size, mtime: 0, ino: place.path };
  }

  /** What is there, for a caller with this access to it. */
  demand(path: string, caller: Credentials, access: Access): InodePlace | ViewPlace {
    const place = this.find(path, caller, true);
    if (place.kind === 'missing') throw new FsError('ENOENT', path);
    const node = place.kind === 'inode' ? place.inode : place.view.stat(place.inner, caller);
    if (!node) throw new FsError('ENOENT', path);
    if (!allows(node, caller, access)) throw new FsError('EACCES', path);
    return place;
  }

  kindOf(place: InodePlace | ViewPlace, caller: Credentials): NodeKind | undefined {
    return place.kind === 'inode' ? place.inode.kind : place.view.stat(place.inner, caller)?.kind;
  }

  /** Where the caller may write a file's contents: an old file, a new one, or a view's. */
  writable(path: string, caller: Credentials): Place {
    const place = this.find(path, caller, true);
    if (place.kind === 'missing') {
      if (path.endsWith('/')) throw new FsError('EISDIR', path);
      this.demandChange(place.directory, path, caller);
    } else {
      const node = place.kind === 'inode' ? place.inode : place.view.stat(place.inner, caller);
      if (node?.kind === 'dir') throw new FsError('EISDIR', path);
      if (node && !allows(node, caller, 'write')) throw new FsError('EACCES', path);
    }
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
