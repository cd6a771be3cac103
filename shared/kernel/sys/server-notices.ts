import { FIRST_UID } from '../auth/accounts.ts';
import { documentWords } from '../seal/document-words.ts';
import { faultWords } from '../seal/fault.ts';
import type { HealedFault } from '../sync/faults.ts';
import type { Notifications } from './notifications.ts';

/** What goes wrong again within this time is the same trouble. */
const SAME_MS = 60 * 60_000;

/**
 * Tells the owner that the server handed out what it should not have, when that is over and the status line says nothing
 * of it any more. A key that came late is no such thing.
 */
export function tellOfFault(notifications: Notifications, { name, kind, at }: HealedFault): void {
  if (kind === 'locked') return;
  const document = documentWords(name);
  notifications.notifyUser(FIRST_UID, {
    id: `server-fault:${name}:${kind}:${Math.floor(at / SAME_MS)}`,
    level: 'warning',
    title: `The server’s copy of ${document} was not right for a while`,
    body: `${faultWords(kind, document)} It is right again now. If this comes again and you do not know why, somebody may be changing what your server keeps.`,
  });
}
