import type { Credentials } from './credentials.ts';
import { FsError } from './fs-error.ts';
import { type Inode, ROOT_INO } from './inode-row.ts';
import type { Inodes } from './inodes.ts';
import { absolutePath, checkName, joinPath } from './paths.ts';
import { allows } from './permissions.ts';
import type { View } from './views/view.ts';

/** Symbolic links followed in one walk, as in Linux. */
const MOST_HOPS = 40;

export type Place =
  | { kind: 'inode'; path: string; inode: Inode }
  /** Nothing is there, but its directory is. */
  | { kind: 'missing'; path: string; directory: Inode; name: string }
  | { kind: 'view'; path: string; view: View; inner: string[] };

export type Mounts = ReadonlyMap<string, View>;

/**
 * Finds what a path names for this caller, following links; the last one only when `follow`.
 * Every directory on the way must be executable. Throws FsError.
 */
export function walk(
  inodes: Inodes,
  mounts: Mounts,
  path: string,
  caller: Credentials,
  follow: boolean,
): Place {
  return new Walk(inodes, mounts, path, caller).run(follow);
}

type Step = { path: string; inode: Inode };

class Walk {
  readonly #inodes: Inodes;
  readonly #mounts: Mounts;
  readonly #asked: string;
  readonly #caller: Credentials;
  /** Segments still to go, the next one last. */
  readonly #ahead: string[] = [];
  readonly #root: Step;
  #stack: Step[];
  #hops = 0;

  constructor(inodes: Inodes, mounts: Mounts, path: string, caller: Credentials) {
    const root = inodes.get(ROOT_INO);
    if (!root) throw new FsError('EIO', '/', 'the file system has no root');
    this.#inodes = inodes;
    this.#mounts = mounts;
    this.#asked = path;
    this.#caller = caller;
    this.#root = { path: '/', inode: root };
    this.#stack = [this.#root];
    this.#push(absolutePath(path, caller));
  }

  run(follow: boolean): Place {
    for (let name = this.#ahead.pop(); name !== undefined; name = this.#ahead.pop()) {
      const place = this.#step(name, follow);
      if (place) return place;
    }
    const here = this.#top();
    if (this.#asked.endsWith('/') && here.inode.kind !== 'dir') throw new FsError('ENOTDIR', this.#asked);
    return { kind: 'inode', ...here };
  }

  /** Goes on by one name. Returns where the walk ends early. */
  #step(name: string, follow: boolean): Place | undefined {
    const { path, inode } = this.#top();
    if (inode.kind !== 'dir') throw new FsError('ENOTDIR', this.#asked);
    if (!allows(inode, this.#caller, 'execute')) throw new FsError('EACCES', this.#asked);
    if (name === '..') return this.#up();
    checkName(name, this.#asked);
    const childPath = joinPath(path, name);
    const view = this.#mounts.get(childPath);
    if (view) return this.#enter(view, childPath);
    const child = this.#inodes.child(inode.ino, name);
    if (!child) return this.#missing(childPath, inode, name);
    if (child.kind === 'symlink' && (follow || this.#ahead.length > 0)) this.#link(child);
    else this.#stack.push({ path: childPath, inode: child });
    return undefined;
  }

  #up(): undefined {
    if (this.#stack.length > 1) this.#stack.pop();
  }

  #missing(path: string, directory: Inode, name: string): Place {
    if (this.#ahead.length > 0) throw new FsError('ENOENT', this.#asked);
    return { kind: 'missing', path, directory, name };
  }

  #link(link: Inode): void {
    this.#hops += 1;
    if (this.#hops > MOST_HOPS) throw new FsError('ELOOP', this.#asked);
    const target = link.target ?? '';
    if (target.startsWith('/')) this.#stack = [this.#root];
    this.#push(target);
  }

  /** Below a mount the rest of the path is text; enough `..` lead out of it again. */
  #enter(view: View, mount: string): Place | undefined {
    const inner: string[] = [];
    for (let name = this.#ahead.pop(); name !== undefined; name = this.#ahead.pop()) {
      checkName(name, this.#asked);
      if (name !== '..') inner.push(name);
      else if (inner.pop() === undefined) return undefined;
    }
    return { kind: 'view', path: [mount, ...inner].join('/'), view, inner };
  }

  #push(path: string): void {
    for (const segment of path.split('/').reverse()) {
      if (segment !== '' && segment !== '.') this.#ahead.push(segment);
    }
  }

  #top(): Step {
    return this.#stack.at(-1) ?? this.#root;
  }
}
