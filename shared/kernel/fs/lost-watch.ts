import type { Clock } from '../../std/clock.ts';
import type { FileConflict, Inodes } from './inodes.ts';

/** How long something must have been lost: the directory of a file that has just arrived may still be on its way. */
export const SETTLE_MS = 30_000;

/** Tells once of each inode that has come to `/lost+found` and stays there. What is there at the start is not news. */
export function watchStrays(inodes: Inodes, clock: Clock, onLost: (conflict: FileConflict) => void): void {
  const told = new Set(inodes.strays().map(({ ino }) => ino));
  let waiting = false;
  const tell = (): void => {
    waiting = false;
    for (const { ino, uid, name } of inodes.strays()) {
      if (told.has(ino)) continue;
      told.add(ino);
      onLost({ kind: 'lost', id: ino, uid, path: name, keptPath: inodes.pathOf(ino) });
    }
  };
  inodes.onChange(() => {
    if (waiting || inodes.strays().every(({ ino }) => told.has(ino))) return;
    waiting = true;
    clock.after(SETTLE_MS, tell);
  });
}
