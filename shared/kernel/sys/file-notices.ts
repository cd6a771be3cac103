import type { FileConflict } from '../fs/inodes.ts';
import type { Notice, Notifications } from './notifications.ts';

/** Tells the owner of a file what became of changes that were made on two devices apart. */
export function tellOfConflict(notifications: Notifications, conflict: FileConflict): void {
  const { kind, id, uid } = conflict;
  notifications.notifyUser(uid, { id: `file-${kind}:${id}`, level: 'warning', ...words[kind](conflict) });
}

const words: Record<FileConflict['kind'], (conflict: FileConflict) => Pick<Notice, 'title' | 'body'>> = {
  edited: ({ path, keptPath }) => ({
    title: 'A file was changed on two devices apart',
    body: `${path} has the newer contents. The others are kept in ${keptPath}.`,
  }),
  lost: ({ path, keptPath }) => ({
    title: 'A file lost its directory',
    body: `The directory of ${path} was removed or moved on another device. It is kept in ${keptPath}.`,
  }),
};
