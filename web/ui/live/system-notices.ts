import { type Accessor, createEffect, createSignal, onCleanup } from 'solid-js';
import { SHOW_SCHEDULE } from '../../../shared/syscalls/notice-kinds.ts';
import type { NotificationRecord } from '../../../shared/syscalls/notification.ts';
import { noticeOffer } from '../../service-worker/notice-offer.ts';
import type { Page } from '../context.ts';
import { tameProse } from '../parts/machine-text.ts';
import { chatPath, schedulePath } from '../route.ts';
import type { LiveNotification } from './notifications.ts';
import type { LiveProcess } from './processes.ts';

export type Permission = NotificationPermission | 'unsupported';
type Badge = { setAppBadge?(count: number): Promise<void>; clearAppBadge?(): Promise<void> };

const supported = (): boolean => 'Notification' in globalThis;

/** Whether the browser shows notifications of this page; `ask` opens its question, from a click alone. */
export function createPermission(): { permission: Accessor<Permission>; ask(): Promise<void> } {
  const read = (): Permission => (supported() ? Notification.permission : 'unsupported');
  const [permission, setPermission] = createSignal<Permission>(read());
  return {
    permission,
    ask: async () => {
      await Notification.requestPermission();
      setPermission(read());
    },
  };
}

/** Where a notification leads: to the conversation of the process, or the schedule, that it is about. */
export function pathOf({ source, actions }: Pick<NotificationRecord, 'source' | 'actions'>): string | null {
  if (source.kind === 'process') return chatPath(source.processId);
  const schedule = actions.find(({ kind }) => kind === SHOW_SCHEDULE)?.target;
  return schedule === undefined ? null : schedulePath(schedule);
}

/** What waits for the person: processes that ask, and news that is about something else. */
export function waitingCount(
  processes: readonly Pick<LiveProcess, 'pid' | 'state'>[],
  notifications: readonly Pick<LiveNotification, 'readAt' | 'source'>[],
): number {
  const asking = new Set(processes.filter(({ state }) => state === 'waiting').map(({ pid }) => pid));
  const news = notifications.filter(
    ({ readAt, source }) => readAt === null && !(source.kind === 'process' && asking.has(source.processId)),
  );
  return asking.size + news.length;
}

/** Shows what is new outside of the page while nobody looks at it, and how much waits as the app's badge. */
export function createSystemNotices(page: Page): void {
  onCleanup(
    page.gsv.onSignal((signal, payload) => {
      const record = payload.notification as NotificationRecord | undefined;
      if (record === undefined) return;
      if (signal === 'notification.created' && payload.visible === false) void show(record, page);
      if (signal === 'notification.updated' || signal === 'notification.dismissed') void close(record);
    }),
  );
  const opened = ({ data }: MessageEvent): void => {
    const path = (data as { open?: unknown } | null)?.open;
    if (typeof path === 'string') page.router.go(path);
  };
  navigator.serviceWorker?.addEventListener('message', opened);
  onCleanup(() => navigator.serviceWorker?.removeEventListener('message', opened));
  createEffect(() => {
    const count = waitingCount(page.processes, page.notifications);
    const { setAppBadge, clearAppBadge } = navigator as Badge;
    void (count > 0 ? setAppBadge?.call(navigator, count) : clearAppBadge?.call(navigator))?.catch(() => {});
  });
}

/** How a notification is shown outside of the page. */
export function shownAs(record: NotificationRecord): NotificationOptions & ReturnType<typeof noticeOffer> {
  const { source, notificationId, body } = record;
  const pid = source.kind === 'process' ? source.processId : null;
  const options = { body: tameProse(body ?? ''), tag: notificationId, icon: '/icon-192.png' };
  return { ...options, ...noticeOffer(notificationId, pid, pathOf(record)) };
}

/** Through the service worker where there is one, as phones demand. Every tab asks for the same one: it is shown once. */
async function show(record: NotificationRecord, page: Page): Promise<void> {
  if (!supported() || Notification.permission !== 'granted') return;
  const title = tameProse(record.title);
  const { actions, ...options } = shownAs(record);
  const worker = await registration();
  if (worker) return worker.showNotification(title, { ...options, actions } as NotificationOptions);
  // Without a worker there are no actions.
  const shown = new Notification(title, options);
  shown.onclick = () => {
    window.focus();
    const { open } = options.data;
    if (open !== null) page.router.go(open);
    shown.close();
  };
}

/** What was read or dismissed, here or elsewhere, need not be shown any more. */
async function close({ notificationId: tag }: NotificationRecord): Promise<void> {
  const worker = await registration();
  for (const shown of (await worker?.getNotifications({ tag })) ?? []) shown.close();
}

async function registration(): Promise<ServiceWorkerRegistration | undefined> {
  const found = await navigator.serviceWorker?.getRegistration().catch(() => undefined);
  return found?.active ? found : undefined;
}
