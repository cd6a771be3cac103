import { BUILT, PAGE_LOCK } from './built.ts';
import { keepApproval } from './service-worker/approval.ts';
import { openFrom } from './service-worker/notice-click.ts';
import { showPushed } from './service-worker/push.ts';
import { routeOf } from './service-worker/routes.ts';
import type { WorkerScope } from './service-worker/scope.ts';
import { keepShared } from './service-worker/share.ts';
import { ShellCache } from './service-worker/shell-cache.ts';

/** Entry of the service worker. The bundler puts the list of the build's files where `self.__WB_MANIFEST` stands. */
declare const self: WorkerScope;
declare const __GSV_POLICY__: string;

const { origin } = globalThis.location;
const { setAppBadge } = navigator as { setAppBadge?: (count: number) => Promise<void> };
const badge = setAppBadge?.bind(navigator);
const shell = new ShellCache({
  caches: globalThis.caches,
  fetch: (url, init) => fetch(url, init),
  manifest: self.__WB_MANIFEST,
  built: BUILT,
  policy: __GSV_POLICY__,
});

self.addEventListener('install', (event) => event.waitUntil(shell.install()));
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('message', (event) => {
  if (event.data === 'take over') event.waitUntil(self.skipWaiting());
  if (event.data === 'settled') event.waitUntil(settle());
});
self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  const { data } = event.notification;
  const kept = event.action === 'approve' ? keepApproval(globalThis.caches, data) : Promise.resolve();
  event.waitUntil(kept.then(() => openFrom(self, data)));
});
self.addEventListener('push', (event) => event.waitUntil(showPushed(self, badge, event.data?.text() ?? '')));
self.addEventListener('fetch', (event) => {
  const route = routeOf(event.request, origin);
  if (route?.kind === 'share') event.respondWith(keepShared(event.request, globalThis.caches));
  if (route?.kind === 'page') event.respondWith(shell.index());
  if (route?.kind === 'file' && shell.knows(route.path)) event.respondWith(file(route.path));
});

/** A file that the server has no more belongs to a version that it has no more: there is a newer one. */
async function file(path: string): Promise<Response> {
  const response = await shell.file(path);
  if (response.status === 404) void self.registration.update().catch(() => {});
  return response;
}

async function settle(): Promise<void> {
  await shell.fill();
  if (await allMoved()) await shell.tidy();
}

/** Whether every window is of this version: each has said of which it is by a lock of its own. */
async function allMoved(): Promise<boolean> {
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const { held = [] } = await navigator.locks.query();
  const pages = held.map(({ name }) => name).filter((name) => name?.startsWith(PAGE_LOCK));
  const ours = pages.filter((name) => name === `${PAGE_LOCK}${BUILT}`);
  return ours.length === pages.length && ours.length >= windows.length;
}
