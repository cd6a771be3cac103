import { messageOf } from '../../protocol/errors.ts';
import type { Space } from '../ports/doc-store.ts';
import { type Before, stateOf } from './change-file.ts';
import type { BlobReferences } from './contents.ts';
import type { Credentials } from './credentials.ts';
import type { FileSystemParts } from './file-system-parts.ts';
import { FsError } from './fs-error.ts';
import type { Content, Inode, InodeFields } from './inode-row.ts';
import { absolutePath } from './paths.ts';
import { inGroup, mayUnlink, modes } from './permissions.ts';
import {
  type DirEntry,
  type FileStat,
  type InodePlace,
  type MissingPlace,
  Places,
  type ViewPlace,
} from './places.ts';
import type { Lines, View } from './views/view.ts';

/** A longer file is refused: contents are held whole in memory while they are read or written. */
export const FILE_BYTES = 512 * 1024 * 1024;

/**
 * The native filesystem: the inode tree with views mounted on it. Every method acts for one caller, checks modes
 * as Linux does, and throws FsError. Changes are visible at once and on disk after `durable`.
 */
export class FileSystem {
  readonly #parts: FileSystemParts;
  readonly #places: Places;

  constructor(parts: FileSystemParts) {
    this.#parts = parts;
    this.#places = new Places(parts.inodes, parts.mounts);
  }

  /** The same files for one who takes back what the disk refuses: `noted` is told of each change in them. */
  noting(noted: NonNullable<FileSystemParts['noted']>): FileSystem {
    return new FileSystem({ ...this.#parts, noted });
  }

  /** Shows a view at a path from now on; its directory has to be there. */
  mount(path: string, view: View): void {
    this.#parts.mounts.set(path, view);
  }

  /** Which stored contents files have. */
  get blobs(): BlobReferences {
    return this.#parts.contents;
  }

  /** Resolves when all that was done until now would survive a kill. When the disk refuses: takes back, throws FsError. */
  async durable(takeBack = (): void => {}, space?: Space): Promise<void> {
    const { contents, flush } = this.#parts;
    const released = contents.released();
    await flush(space).catch((cause) => {
      takeBack();
      throw new FsError('ENOSPC', '/', messageOf(cause));
    });
    await contents.collect(released);
  }

  async stat(path: string, caller: Credentials): Promise<FileStat> {
    return this.#places.stat(this.#places.find(path, caller, true), path, caller);
  }

  /** As `stat`, of a symbolic link itself. */
  async lstat(path: string, caller: Credentials): Promise<FileStat> {
    return this.#places.stat(this.#places.find(path, caller, false), path, caller);
  }

  /** Whether `stat` would answer. */
  async exists(path: string, caller: Credentials): Promise<boolean> {
    const there = await this.stat(path, caller).catch(() => null);
    return there !== null;
  }

  /** The path with every symbolic link and `..` resolved. */
  async realpath(path: string, caller: Credentials): Promise<string> {
    const place = this.#places.find(path, caller, true);
    await this.#places.stat(place, path, caller);
    return place.path;
  }

  /** As `realpath`, of what need not be there. Throws when its directory is not. */
  leadsTo(path: string, caller: Credentials): string {
    return this.#places.find(path, caller, true).path;
  }

  async readFile(path: string, caller: Credentials): Promise<Uint8Array<ArrayBuffer>> {
    const place = await this.#readable(path, caller);
    if (place.kind === 'view') return place.view.read(place.inner, caller);
    return this.#parts.contents.read(place.inode, path);
  }

  /** Some lines of a file of which there is more than need be read for them; undefined of any other. */
  async readLines(
    path: string,
    caller: Credentials,
    offset: number,
    limit: number,
  ): Promise<Lines | undefined> {
    const place = await this.#readable(path, caller);
    return place.kind === 'view' ? place.view.lines(place.inner, caller, offset, limit) : undefined;
  }

  /** Entries sorted by name. */
  async readdir(path: string, caller: Credentials): Promise<DirEntry[]> {
    const place = await this.#places.demand(path, caller, 'read');
    if ((await this.#places.kindOf(place, caller)) !== 'dir') throw new FsError('ENOTDIR', path);
    const entries = await this.#places.list(place, caller);
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Creates or replaces a whole file, which keeps its owner and mode. Resolves with what takes it back. */
  async writeFile(path: string, bytes: Uint8Array, caller: Credentials): Promise<() => void> {
    return (await this.replaceFile(path, bytes, caller, null)) ?? (() => {});
  }

  /** As `writeFile`, if the file is still what `before` says; else changes nothing and resolves with null. */
  async replaceFile(
    path: string,
    bytes: Uint8Array,
    caller: Credentials,
    before: Before | null,
  ): Promise<(() => void) | null> {
    if (bytes.length > FILE_BYTES) throw new FsError('EFBIG', path);
    const own = new Uint8Array(bytes);
    return this.#parts.order.take([this.leadsTo(path, caller)], () =>
      this.#replace(path, own, caller, before),
    );
  }

  /** Rejects when the caller may not write there. */
  async demandWritable(path: string, caller: Credentials): Promise<void> {
    await this.#places.writable(path, caller);
  }

  /** What a change of a file begins with. `read`: it is to be there, and the caller to be allowed to read it. */
  async before(path: string, caller: Credentials, read: boolean): Promise<Before> {
    const place = read ? await this.#readable(path, caller) : await this.#places.writable(path, caller);
    if (place.kind === 'inode')
      return { bytes: await this.#parts.contents.read(place.inode, path), state: stateOf(place) };
    const there = place.kind === 'view' && (await place.view.stat(place.inner, caller));
    return {
      bytes: there ? await place.view.read(place.inner, caller) : new Uint8Array(0),
      state: stateOf(place),
    };
  }

  /** With `keep`, accepts a directory that is there; with `recursive`, creates what is missing above it, too. */
  async mkdir(
    path: string,
    caller: Credentials,
    options: { recursive?: boolean; keep?: boolean } = {},
  ): Promise<void> {
    if (options.keep) return this.#makeOrKeep(path, caller);
    if (!options.recursive) return this.#make(path, caller, { kind: 'dir', mode: modes.directory });
    const segments = absolutePath(path, caller).split('/').slice(1);
    for (let at = 1; at <= segments.length; at += 1) {
      await this.#makeOrKeep(`/${segments.slice(0, at).join('/')}`, caller);
    }
  }

  /**
   * Removes a file or link, or a directory: an empty one, or with `recursive` everything in it, all or nothing.
   * `force` accepts that nothing is there. Resolves with what takes it back.
   */
  async rm(
    path: string,
    caller: Credentials,
    options: { recursive?: boolean; force?: boolean } = {},
  ): Promise<() => void> {
    const asked = this.#places.find(path, caller, false);
    return this.#parts.order.take([asked.path], async () => this.#remove(path, caller, options));
  }

  #remove(path: string, caller: Credentials, options: { recursive?: boolean; force?: boolean }): () => void {
    const place = this.#places.removable(path, caller);
    if (place.kind === 'missing') {
      if (options.force) return () => {};
      throw new FsError('ENOENT', path);
    }
    if (!options.recursive && !this.#parts.inodes.isEmpty(place.inode.ino))
      throw new FsError('ENOTEMPTY', path);
    const doomed = this.#places.subtree(place.inode, path, caller);
    for (const inode of doomed) this.#parts.contents.release(inode);
    const remove = (): void => this.#parts.inodes.remove(doomed.map((inode) => inode.ino));
    return this.#take(() => this.#change([this.#places.parentOf(place.inode)], remove), 'reserve');
  }

  /** Moves an entry; a file replaces a file, a directory an empty directory. */
  async rename(from: string, to: string, caller: Credentials): Promise<void> {
    const asked = [from, to].map((path) => this.#places.find(path, caller, false).path);
    return this.#parts.order.take(asked, async () => this.#rename(from, to, caller));
  }

  #rename(from: string, to: string, caller: Credentials): void {
    const source = this.#places.removable(from, caller);
    if (source.kind === 'missing') throw new FsError('ENOENT', from);
    const target = this.#places.find(to, caller, false);
    if (target.kind === 'view') throw new FsError('EROFS', to);
    if (target.kind === 'inode' && target.inode.ino === source.inode.ino) return;
    const directory =
      target.kind === 'inode' ? this.#replaceable(source.inode, target.inode, to, caller) : target.directory;
    this.#places.demandChange(directory, to, caller);
    if (this.#places.isInside(directory, source.inode))
      throw new FsError('EINVAL', to, 'cannot move a directory into itself');
    const name = target.kind === 'inode' ? target.inode.name : target.name;
    const move = (): void => {
      if (target.kind === 'inode') this.#parts.inodes.remove([target.inode.ino]);
      this.#parts.inodes.update(source.inode.ino, { parent: directory.ino, name });
    };
    this.#take(() => this.#change([this.#places.parentOf(source.inode), directory], move));
  }

  /** Copies a file: not its bytes, where it has a row. */
  async copyFile(from: string, to: string, mode: number, caller: Credentials): Promise<void> {
    return this.#parts.order.take([this.leadsTo(to, caller)], () => this.#copyFile(from, to, mode, caller));
  }

  async chmod(path: string, mode: number, caller: Credentials): Promise<void> {
    const inode = this.#places.owned(path, caller);
    this.#take(() => this.#parts.inodes.update(inode.ino, { mode: mode & modes.bits }));
  }

  /** Root gives files away; an owner may choose among the groups it belongs to. */
  async chown(path: string, owner: { uid?: number; gid?: number }, caller: Credentials): Promise<void> {
    const inode = this.#places.owned(path, caller);
    const { uid = inode.uid, gid = inode.gid } = owner;
    const permitted = caller.uid === 0 || (uid === inode.uid && (gid === inode.gid || inGroup(caller, gid)));
    if (!permitted) throw new FsError('EPERM', path);
    this.#take(() => this.#parts.inodes.update(inode.ino, { uid, gid }));
  }

  /** Sets the time of the last change, in milliseconds since the epoch. */
  async touch(path: string, mtime: number, caller: Credentials): Promise<void> {
    const place = await this.#places.demand(path, caller, 'write');
    if (place.kind !== 'inode') return;
    const { ino } = place.inode;
    this.#take(() => this.#parts.inodes.update(ino, { mtime: Math.max(0, Math.trunc(mtime)) }));
  }

  /** The target may be relative to the link, and may be missing. */
  async symlink(target: string, path: string, caller: Credentials): Promise<void> {
    if (target === '' || target.includes('\0')) throw new FsError('EINVAL', path, 'a link needs a target');
    await this.#make(path, caller, { kind: 'symlink', mode: modes.link, target });
  }

  async readlink(path: string, caller: Credentials): Promise<string> {
    const place = this.#places.find(path, caller, false);
    if (place.kind === 'missing') throw new FsError('ENOENT', path);
    if (place.kind === 'view' || place.inode.kind !== 'symlink')
      throw new FsError('EINVAL', path, 'not a link');
    return place.inode.target ?? '';
  }

  async #readable(path: string, caller: Credentials): Promise<InodePlace | ViewPlace> {
    const place = await this.#places.demand(path, caller, 'read');
    if ((await this.#places.kindOf(place, caller)) === 'dir') throw new FsError('EISDIR', path);
    return place;
  }

  async #replace(
    path: string,
    bytes: Uint8Array<ArrayBuffer>,
    caller: Credentials,
    before: Before | null,
  ): Promise<(() => void) | null> {
    const place = await this.#places.writable(path, caller);
    if (place.kind === 'view') return this.#writeView(place, path, bytes, caller);
    const owner = { uid: caller.uid, gid: caller.gid, mode: modes.file };
    let takeBack: (() => void) | null = null;
    await this.#parts.contents.store(bytes, path, (content) => {
      if (before && stateOf(this.#places.writableNow(path, caller)) !== before.state) return;
      takeBack = this.#take(() => this.#put(path, caller, content, bytes.length, owner));
    });
    return takeBack;
  }

  async #writeView({ view, inner }: ViewPlace, path: string, bytes: Uint8Array, caller: Credentials) {
    if (!(await view.canWrite(inner, caller))) throw new FsError('EROFS', path);
    await view.write(inner, bytes, caller);
    return () => {};
  }

  /** Points a file at stored contents. The path is walked again, for much may have happened meanwhile. */
  #put(
    path: string,
    caller: Credentials,
    content: Content,
    size: number,
    owner: Pick<InodeFields, 'uid' | 'gid' | 'mode'>,
  ): void {
    const place = this.#places.writableNow(path, caller);
    const changes = { content, size, mtime: this.#parts.clock.now() };
    if (place.kind === 'inode') {
      this.#parts.contents.release(place.inode);
      this.#parts.inodes.update(place.inode.ino, changes);
    } else if (place.kind === 'missing') {
      this.#add(place, { kind: 'file', ...owner, ...changes }, caller);
    }
  }

  async #make(
    path: string,
    caller: Credentials,
    what: Pick<InodeFields, 'kind' | 'mode' | 'target'>,
  ): Promise<void> {
    const place = this.#places.find(path, caller, false);
    if (place.kind === 'inode') throw new FsError('EEXIST', path);
    if (place.kind === 'view')
      throw new FsError((await place.view.stat(place.inner, caller)) ? 'EEXIST' : 'EROFS', path);
    this.#create(place, path, caller, what);
  }

  #create(
    place: MissingPlace,
    path: string,
    caller: Credentials,
    what: Pick<InodeFields, 'kind' | 'mode' | 'target'>,
  ): void {
    this.#places.demandChange(place.directory, path, caller);
    const { uid, gid } = caller;
    const size = what.target?.length ?? 0;
    const mtime = this.#parts.clock.now();
    this.#take(() => this.#add(place, { uid, gid, size, mtime, ...what }, caller));
  }

  #add(
    { directory, name }: MissingPlace,
    fields: Omit<InodeFields, 'parent' | 'name'>,
    { onEveryReplica = false }: Credentials,
  ): void {
    const row = { parent: directory.ino, name, ...fields };
    this.#change([directory], () => {
      if (onEveryReplica) this.#parts.inodes.createOnce(row);
      else this.#parts.inodes.create(row);
    });
  }

  /** Every change is made here. Answers with what takes it back. */
  #take(change: () => void, space: Space = 'free'): () => void {
    const takeBack = this.#parts.inodes.takeable(change);
    this.#parts.noted?.(takeBack, space);
    return takeBack;
  }

  /** Changes the entries of directories, all at once, and with them when they were last changed. */
  #change(directories: readonly Inode[], change: () => void): void {
    const { clock, inodes } = this.#parts;
    const now = clock.now();
    inodes.transact(() => {
      change();
      for (const { ino, mtime } of new Set(directories)) if (mtime < now) inodes.update(ino, { mtime: now });
    });
  }

  async #makeOrKeep(path: string, caller: Credentials): Promise<void> {
    const place = this.#places.find(path, caller, true);
    if (place.kind === 'missing')
      return this.#create(place, path, caller, { kind: 'dir', mode: modes.directory });
    if ((await this.#places.stat(place, path, caller)).kind !== 'dir') throw new FsError('ENOTDIR', path);
  }

  /** Checks that `source` may take the place of `target`, and gives the directory it is in. */
  #replaceable(source: Inode, target: Inode, path: string, caller: Credentials): Inode {
    const directory = this.#places.parentOf(target);
    if (!mayUnlink(directory, target, caller)) throw new FsError('EPERM', path);
    if (source.kind === 'dir' && target.kind !== 'dir') throw new FsError('ENOTDIR', path);
    if (source.kind !== 'dir' && target.kind === 'dir') throw new FsError('EISDIR', path);
    if (!this.#parts.inodes.isEmpty(target.ino)) throw new FsError('ENOTEMPTY', path);
    this.#parts.contents.release(target);
    return directory;
  }

  async #copyFile(from: string, to: string, mode: number, caller: Credentials): Promise<void> {
    const source = await this.#places.demand(from, caller, 'read');
    const content = source.kind === 'inode' ? source.inode.content : undefined;
    const target = content && this.#places.writableNow(to, caller);
    if (source.kind === 'view' || !content || !target || target.kind === 'view')
      return void (await this.#replace(to, await this.readFile(from, caller), caller, null));
    if (target.kind === 'inode' && target.inode.ino === source.inode.ino) return;
    const owner = { uid: caller.uid, gid: caller.gid, mode: mode & modes.copied };
    this.#put(to, caller, content, source.inode.size, owner);
  }
}
