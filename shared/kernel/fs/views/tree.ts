import type { Credentials } from '../credentials.ts';
import type { View, ViewNode } from './view.ts';

type Owner = { mode?: number; uid?: number; gid?: number };
export type FileNode = Owner & {
  read: () => Uint8Array<ArrayBuffer>;
  write?: (bytes: Uint8Array) => Promise<void>;
};
export type DirNode = Owner & {
  /** Entries in the order they are listed. */
  children: () => Map<string, Tree>;
  /** Takes files that are not there yet, by their path below this directory. */
  write?: (path: readonly string[], bytes: Uint8Array) => Promise<void>;
};
export type Tree = FileNode | DirNode;

const FILE_MODE = 0o444;
const DIR_MODE = 0o555;

/** A view of a tree that is made anew, lazily, for every look at it. */
export function treeView(root: (caller: Credentials) => DirNode): View {
  const find = (path: readonly string[], caller: Credentials) => descend(root(caller), path);
  return {
    stat: (path, caller) => nodeOf(find(path, caller)),
    list(path, caller) {
      const node = find(path, caller);
      return node && 'children' in node ? [...node.children().keys()] : [];
    },
    read(path, caller) {
      const node = find(path, caller);
      return node && 'read' in node ? node.read() : new Uint8Array(0);
    },
    canWrite: (path, caller) => writerOf(root(caller), path) !== undefined,
    async write(path, bytes, caller) {
      await writerOf(root(caller), path)?.(bytes);
    },
  };
}

function descend(root: Tree, path: readonly string[]): Tree | undefined {
  let node: Tree | undefined = root;
  for (const name of path) node = node && 'children' in node ? node.children().get(name) : undefined;
  return node;
}

/** The file's own writer, or that of the nearest directory above a missing file. */
function writerOf(
  root: DirNode,
  path: readonly string[],
): ((bytes: Uint8Array) => Promise<void>) | undefined {
  const node = descend(root, path);
  if (node) return 'read' in node ? node.write : undefined;
  for (let length = path.length - 1; length >= 0; length -= 1) {
    const above = descend(root, path.slice(0, length));
    if (!above) continue;
    const write = 'children' in above ? above.write : undefined;
    return write && ((bytes) => write(path.slice(length), bytes));
  }
  return undefined;
}

function nodeOf(node: Tree | undefined): ViewNode | undefined {
  if (!node) return undefined;
  const kind = 'read' in node ? 'file' : 'dir';
  return {
    kind,
    mode: node.mode ?? (kind === 'file' ? FILE_MODE : DIR_MODE),
    uid: node.uid ?? 0,
    gid: node.gid ?? 0,
  };
}
