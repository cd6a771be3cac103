import { type Inode, ROOT_INO } from './inode-row.ts';

export const LOST_NAME = 'lost+found';
export const LOST_INO = `/${LOST_NAME}`;
const LOST_MODE = 0o755;
/** What was in somebody's private directory is still theirs alone. */
const OWN_MODE = 0o700;

/** The directory in `/lost+found` for what belongs to this user. */
export function lostDirectoryOf(uid: number): string {
  return `${LOST_INO}/${uid}`;
}

/** `/lost+found` and the directories in it: no row holds them, they are there while something is in them. */
export function isLostDirectory(ino: string): boolean {
  return ino === LOST_INO || ino.startsWith(`${LOST_INO}/`);
}

export function lostDirectory(ino: string, uid: number | undefined): Inode {
  const common = { ino, kind: 'dir', gid: 0, size: 0, mtime: 0 } as const;
  if (uid === undefined) return { ...common, parent: ROOT_INO, name: LOST_NAME, mode: LOST_MODE, uid: 0 };
  return { ...common, parent: LOST_INO, name: String(uid), mode: OWN_MODE, uid };
}
