import type { Credentials } from '../credentials.ts';
import type { Lines, View, ViewNode } from './view.ts';

type Bytes = Uint8Array<ArrayBuffer>;
type Owner = { mode?: number; uid?: number; gid?: number };
export type FileNode = Owner & {
  read: () => Bytes | Promise<Bytes>;
  /** Of a file that may be long: it is read in parts where a part is asked for, and never to tell its size. */
  lines?: (offset: number, limit: number) => Promise<Lines>;
  write?: (bytes: Uint8Array) => Promise<void>;
};
type Children = Map<string, Tree>;
export type DirNode = Owner & {
  /** Entries in the order they are listed. */
  children: () => Children | Promise<Children>;
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
    stat: async (path, caller) => nodeOf(await find(path, caller)),
    async list(path, caller) {
      const node = await find(path, caller);
      return node && 'children' in node ? [...(await node.children()).keys()] : [];
    },
    async read(path, caller) {
      const node = await find(path, caller);
      return node && 'read' in node ? node.read() : new Uint8Array(0);
    },
    async lines(path, caller, offset, limit) {
      const node = await find(path, caller);
      return node && 'read' in node ? node.lines?.(offset, limit) : undefined;
    },
    canWrite: async (path, caller) => (await writerOf(root(caller), path)) !== undefined,
    async write(path, bytes, caller) {
      await (await writerOf(root(caller), path))?.(bytes);
    },
  };
}

async function descend(root: Tree, path: readonly string[]): Promise<Tree | undefined> {
  let node: Tree | undefined = root;
  for (const name of path) node = node && 'children' in node ? (await node.children()).get(name) : undefined;
  return node;
}

/** The file's own writer, or that of the nearest directory above a missing file. */
async function writerOf(
  root: DirNode,
  path: readonly string[],
): Promise<((bytes: Uint8Array) => Promise<void>) | undefined> {
  const node = await descend(root, path);
  if (node) return 'read' in node ? node.write : undefined;
  for (let length = path.length - 1; length >= 0; length -= 1) {
    const above = await descend(root, path.slice(0, length));
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
    ...('lines' in node ? { size: 0 } : {}),
  };
}
