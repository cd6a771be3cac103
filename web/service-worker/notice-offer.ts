import { APPROVAL_NOTICE } from '../../shared/syscalls/notice-kinds.ts';
import type { Approval } from './approval.ts';

/** What stands in a notification's `data`, for the click on it. */
export type NoticeData = { open: string | null; approve?: Approval };

type Offer = { data: NoticeData; actions: { action: 'open' | 'approve'; title: string }[] };

/**
 * What can be done from a notification outside of the page: it leads to `open`, and a question is approved. The same
 * whether the page or the service worker shows it: they replace each other's.
 */
export function noticeOffer(notificationId: string, pid: string | null, open: string | null): Offer {
  if (pid === null || !notificationId.startsWith(APPROVAL_NOTICE)) return { data: { open }, actions: [] };
  return {
    data: { open, approve: { pid, notificationId } },
    actions: [
      { action: 'open', title: 'Look' },
      { action: 'approve', title: 'Approve' },
    ],
  };
}
