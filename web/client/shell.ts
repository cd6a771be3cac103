import { BUILT, PAGE_LOCK } from '../built.ts';
import { trustedScriptUrl } from '../ui/trusted.ts';
import { Installing } from './installing.ts';

/**
 * How GSV becomes an app of this device: `ask` the browser, `by hand` where the browser has only a menu for it (iOS),
 * `done` already, or `no`.
 */
export type Installable = 'ask' | 'by hand' | 'done' | 'no';

/** The page as a program that is installed in the browser: its versions, and its place among the apps. */
export type Shell = {
  /** Called at once, and whenever it changes, with whether a newer version is ready to be taken. */
  onUpdate(listener: (ready: boolean) => void): () => void;
  /** Moves all tabs of this browser to the newer version: they reload. */
  update(): void;
  /** Called at once, and whenever it changes. */
  onInstallable(listener: (way: Installable) => void): () => void;
  /** Resolves to whether the person said yes. Only after a click, and where the way is `ask`. */
  install(): Promise<boolean>;
  /** This page is older than what runs beside it: it moves, as soon as there is something to move to. */
  outdated(): void;
};

const CHECK_EVERY_MS = 60 * 60_000;
/** A page that reloads and is still too old waits this long before it tries again. */
const RELOAD_EVERY_MS = 30_000;
const RELOADED = 'gsv.reloaded';

/** Installs the service worker once the page stands, and follows its versions. */
export function connectShell(): Shell {
  void navigator.locks.request(`${PAGE_LOCK}${BUILT}`, { mode: 'shared' }, () => new Promise(() => {}));
  // In development there is nothing to install.
  if (BUILT === 0 || !('serviceWorker' in navigator)) return noShell;
  return new InstalledShell(navigator.serviceWorker);
}

/** For pages that are not installed. */
export const noShell: Shell = {
  onUpdate: () => () => {},
  onInstallable: () => () => {},
  install: async () => false,
  update: () => {},
  outdated: () => location.reload(),
};

class InstalledShell implements Shell {
  readonly #container: ServiceWorkerContainer;
  readonly #listeners = new Set<(ready: boolean) => void>();
  readonly #installing = new Installing();
  #registration: ServiceWorkerRegistration | null = null;

  constructor(container: ServiceWorkerContainer) {
    this.#container = container;
    this.#followController();
    if (document.readyState === 'complete') this.#register();
    else window.addEventListener('load', () => this.#register(), { once: true });
  }

  onUpdate(listener: (ready: boolean) => void): () => void {
    this.#listeners.add(listener);
    listener(this.#registration?.waiting != null);
    return () => this.#listeners.delete(listener);
  }

  update(): void {
    const waiting = this.#registration?.waiting;
    if (waiting) waiting.postMessage('take over');
    else location.reload();
  }

  onInstallable(listener: (way: Installable) => void): () => void {
    return this.#installing.follow(listener);
  }

  install(): Promise<boolean> {
    return this.#installing.ask();
  }

  outdated(): void {
    const last = Number(sessionStorage.getItem(RELOADED) ?? 0);
    if (Date.now() - last < RELOAD_EVERY_MS) return;
    sessionStorage.setItem(RELOADED, String(Date.now()));
    this.update();
  }

  /** The first worker takes a page over as it is; every later one brings another version. */
  #followController(): void {
    let controlled = this.#container.controller !== null;
    this.#container.addEventListener('controllerchange', () => {
      if (controlled) location.reload();
      controlled = true;
    });
  }

  #register(): void {
    this.#container.register(trustedScriptUrl('/sw.js'), { updateViaCache: 'none' }).then(
      (registration) => this.#follow(registration),
      // Forbidden by the browser's settings, or no network: the page works, and is not kept.
      () => {},
    );
  }

  #follow(registration: ServiceWorkerRegistration): void {
    this.#registration = registration;
    this.#settle();
    const follow = (worker: ServiceWorker | null): void => {
      worker?.addEventListener('statechange', () => this.#settle());
    };
    follow(registration.installing);
    registration.addEventListener('updatefound', () => follow(registration.installing));
    const check = (): void => void registration.update().catch(() => {});
    setInterval(check, CHECK_EVERY_MS);
    window.addEventListener('online', check);
  }

  /** Workers fetch the rest of their version, and the active one forgets older versions. */
  #settle(): void {
    const { waiting = null, active = null } = this.#registration ?? {};
    for (const worker of [active, waiting]) worker?.postMessage('settled');
    for (const listener of this.#listeners) listener(waiting !== null);
  }
}
