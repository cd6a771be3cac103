import { type Accessor, createEffect } from 'solid-js';
import { createStore, reconcile } from 'solid-js/store';
import type { NotificationRecord } from '../../../shared/syscalls/notification.ts';
import type { Gsv } from '../../client/gsv.ts';
import { createRows } from './rows.ts';

export type LiveNotification = NotificationRecord;

/** The user's notifications that are neither dismissed nor over, newest first. */
export function createNotifications(
  gsv: Gsv,
  now: Accessor<number>,
): { list: LiveNotification[]; ready: Accessor<boolean> } {
  const view = createRows<LiveNotification>(gsv, () => ({ view: 'notifications' }));
  const [store, setStore] = createStore<{ list: LiveNotification[] }>({ list: [] });
  createEffect(() => {
    setStore('list', reconcile(shownOf([...view.rows().values()], now()), { key: 'notificationId' }));
  });
  return {
    get list() {
      return store.list;
    },
    ready: view.ready,
  };
}

export function shownOf(rows: readonly LiveNotification[], now: number): LiveNotification[] {
  return rows
    .filter((row) => row.dismissedAt === null && (row.expiresAt === null || row.expiresAt > now))
    .sort((a, b) => b.createdAt - a.createdAt || a.notificationId.localeCompare(b.notificationId));
}

export function unreadCount(rows: readonly LiveNotification[]): number {
  return rows.filter((row) => row.readAt === null).length;
}

/** The bell's name, which says the count too. */
export function bellName(unread: number): string {
  return unread === 0 ? 'Notifications' : `Notifications, ${unread} new`;
}
