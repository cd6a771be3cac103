import { type Static, Type } from 'typebox';
import { literals, optional } from '../../syscalls/declare.ts';

/** Where the bytes of a file are: small ones in the row, others in the blob store. */
const Content = Type.Union([
  Type.Object({ text: Type.String() }),
  Type.Object({ base64: Type.String() }),
  Type.Object({ blob: Type.String({ pattern: '^[0-9a-f]{64}$' }) }),
]);
export type Content = Static<typeof Content>;

/** One change by one replica: `<replica index>:<number of the change>`. */
const Stamp = optional(Type.String());

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
  /** What its writer had seen of this inode: by replica index, the latest change. Without it: nothing. */
  version: optional(Type.Record(Type.String(), Type.Integer({ minimum: 0 }))),
  /** The change that made each aspect what it is. Without one it is older than versions. */
  stamps: optional(Type.Object({ contents: Stamp, place: Stamp, access: Stamp })),
});
export type InodeRow = Static<typeof InodeRow>;
/** What a person's change may set; version and stamps follow from it. */
export type InodeFields = Omit<InodeRow, 'version' | 'stamps'>;
export type Inode = InodeRow & { readonly ino: string };

/** What is changed apart from each other without a conflict: a rename and an edit, an edit and a chmod. */
export type Aspect = 'contents' | 'place' | 'access';
export const aspectOf: Partial<Record<keyof InodeFields, Aspect>> = {
  content: 'contents',
  target: 'contents',
  size: 'contents',
  parent: 'place',
  name: 'place',
  mode: 'access',
  uid: 'access',
  gid: 'access',
};

export const ROOT_INO = '/';

export function blobOf(inode: InodeRow): string | undefined {
  return inode.content && 'blob' in inode.content ? inode.content.blob : undefined;
}

/** Under what a replica writes its row of an inode. */
export function rowKey(ino: string, writer: number): string {
  return `${ino}@${writer}`;
}

/** The inode that a row is of: its key, without the replica that wrote it. */
export function inoOf(key: string): string {
  const at = key.lastIndexOf('@');
  return at < 0 ? key : key.slice(0, at);
}
