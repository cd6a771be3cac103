import type { WorkerScope } from './scope.ts';

/** Brings the page to the front and to where a notification leads; opens one where there is none. */
export async function openFrom({ clients }: Pick<WorkerScope, 'clients'>, data: unknown): Promise<void> {
  const { open } = (data ?? {}) as { open?: unknown };
  const path = typeof open === 'string' && open.startsWith('/') && !open.startsWith('//') ? open : '/';
  const [window] = await clients.matchAll({ type: 'window', includeUncontrolled: true });
  if (!window) {
    await clients.openWindow(path);
    return;
  }
  window.postMessage({ open: path });
  await window.focus();
}
