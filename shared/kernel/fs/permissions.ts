import type { Credentials } from './credentials.ts';

/** Modes of what is made, the bits that can be set, and those of them that a copy takes over: it belongs to another. */
export const modes = { file: 0o644, directory: 0o755, link: 0o777, bits: 0o7777, copied: 0o777 } as const;

export type Access = 'read' | 'write' | 'execute';
type Owned = { mode: number; uid: number; gid: number };

const bits: Record<Access, number> = { read: 4, write: 2, execute: 1 };
/** In a directory with this bit only the owner of an entry, or of the directory, takes the entry away. */
const STICKY = 0o1000;

export function allows(node: Owned, caller: Credentials, access: Access): boolean {
  if (caller.uid === 0) return true;
  return (classBits(node, caller) & bits[access]) !== 0;
}

/** Exactly one class applies: an owner without a right does not get it from the group or from others. */
function classBits(node: Owned, caller: Credentials): number {
  if (node.uid === caller.uid) return node.mode >> 6;
  if (inGroup(caller, node.gid)) return node.mode >> 3;
  return node.mode;
}

export function inGroup(caller: Credentials, gid: number): boolean {
  return caller.gid === gid || caller.gids.includes(gid);
}

/** Whether the caller may remove or rename `entry`, given that it may write `directory`. */
export function mayUnlink(directory: Owned, entry: Owned, caller: Credentials): boolean {
  if (caller.uid === 0 || (directory.mode & STICKY) === 0) return true;
  return caller.uid === entry.uid || caller.uid === directory.uid;
}
