import { createEffect, createMemo, createSignal, onCleanup } from 'solid-js';
import type { Page } from '../context.ts';

/** The process whose conversation is on the screen. */
function shownPid(page: Page): string | undefined {
  const route = page.router.route();
  return route.view === 'chat' ? (route.pid ?? page.home()?.pid) : undefined;
}

/**
 * Tells the kernel what the person sees, so that they are not notified of it; what they were told of it before counts
 * as read.
 */
export function createAttention(page: Page): void {
  const [visible, setVisible] = createSignal(document.visibilityState === 'visible');
  const follow = (): void => {
    setVisible(document.visibilityState === 'visible');
  };
  document.addEventListener('visibilitychange', follow);
  const [attached, setAttached] = createSignal(0);
  const stop = page.gsv.onAttachment((attachment) => {
    if (attachment === 'attached') setAttached((count) => count + 1);
  });
  onCleanup(() => {
    document.removeEventListener('visibilitychange', follow);
    stop();
  });
  const pid = createMemo(() => shownPid(page));
  createEffect(() => {
    attached();
    const shown = pid();
    const about = { visible: visible(), ...(shown === undefined ? {} : { pid: shown }) };
    void page.gsv.call('notification.attend', about).catch(() => {});
  });
  createEffect(() => {
    if (!visible()) return;
    for (const { notificationId, readAt, source } of page.notifications)
      if (readAt === null && source.kind === 'process' && source.processId === pid())
        void page.gsv.call('notification.mark_read', { notificationId }).catch(() => {});
  });
}
