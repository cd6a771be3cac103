import type { Entry } from './shell-cache.ts';

/** What is used of a service worker's own scope; the DOM's types know pages only. */
export type WorkerScope = {
  readonly __WB_MANIFEST: readonly Entry[];
  readonly clients: {
    claim(): Promise<void>;
    matchAll(options: { type: 'window'; includeUncontrolled: boolean }): Promise<readonly WindowClient[]>;
    openWindow(url: string): Promise<WindowClient | null>;
  };
  readonly registration: ServiceWorkerRegistration;
  skipWaiting(): Promise<void>;
  addEventListener<Name extends keyof WorkerEvents>(
    name: Name,
    listener: (event: WorkerEvents[Name]) => void,
  ): void;
};

export type WindowClient = {
  readonly id: string;
  readonly url: string;
  readonly visibilityState: 'hidden' | 'visible';
  focus(): Promise<WindowClient>;
  postMessage(message: unknown): void;
};

export type ExtendableEvent = { waitUntil(work: Promise<unknown>): void };

type WorkerEvents = {
  install: ExtendableEvent;
  activate: ExtendableEvent;
  message: ExtendableEvent & { readonly data: unknown };
  notificationclick: ExtendableEvent & { readonly notification: Notification; readonly action: string };
  push: ExtendableEvent & { readonly data: { text(): string } | null };
  fetch: ExtendableEvent & {
    readonly request: Request;
    respondWith(response: Promise<Response>): void;
  };
};
