import { Type } from 'typebox';
import { matches } from '../../shared/std/matches.ts';

const APPROVALS = 'gsv-approvals';
const PATH = '/approval';
/** Who approved and then never came to the page has changed their mind. */
const KEPT_MS = 5 * 60_000;

/** One question that a person has approved outside of the page: that of this notification, and no other. */
export type Approval = { pid: string; notificationId: string };

const Approvable = Type.Object({
  approve: Type.Object({ pid: Type.String(), notificationId: Type.String() }),
});
const Kept = Type.Object({ pid: Type.String(), notificationId: Type.String(), at: Type.Number() });

/**
 * Keeps for the page that a notification's “Approve” was pressed. Only this origin's own programs can: an address that
 * approves by being opened could be put before a person by anybody.
 */
export async function keepApproval(caches: CacheStorage, data: unknown, now = Date.now()): Promise<void> {
  if (!matches(Approvable, data)) return;
  const cache = await caches.open(APPROVALS);
  await cache.put(PATH, Response.json({ ...data.approve, at: now }));
}

/** Whether something is kept that `takeApproval` would give. */
export async function hasApproval(caches: CacheStorage, now = Date.now()): Promise<boolean> {
  const response = await (await caches.open(APPROVALS)).match(PATH);
  const kept: unknown = await response?.json();
  return matches(Kept, kept) && now - kept.at <= KEPT_MS;
}

/** Takes what was kept; it is there once. */
export async function takeApproval(caches: CacheStorage, now = Date.now()): Promise<Approval | null> {
  const cache = await caches.open(APPROVALS);
  const response = await cache.match(PATH);
  // Of several pages that look, one removes it: that one has it.
  if (!response || !(await cache.delete(PATH))) return null;
  const kept: unknown = await response.json();
  if (!matches(Kept, kept) || now - kept.at > KEPT_MS) return null;
  return { pid: kept.pid, notificationId: kept.notificationId };
}
