import type { Installable } from './shell.ts';

/** What a browser offers that lets a page ask to be installed. */
type Offer = Event & { prompt(): Promise<void>; userChoice: Promise<{ outcome: 'accepted' | 'dismissed' }> };

/** Whether and how this page can be installed; the browser says so once, soon after it is opened. */
export class Installing {
  readonly #listeners = new Set<(way: Installable) => void>();
  #offer: Offer | null = null;

  constructor() {
    window.addEventListener('beforeinstallprompt', (event) => {
      // The browser's own bar would come at a moment that it chooses.
      event.preventDefault();
      this.#set(event as Offer);
    });
    window.addEventListener('appinstalled', () => this.#set(null));
  }

  follow(listener: (way: Installable) => void): () => void {
    this.#listeners.add(listener);
    listener(this.#way);
    return () => this.#listeners.delete(listener);
  }

  async ask(): Promise<boolean> {
    const offer = this.#offer;
    if (!offer) return false;
    // It can be used once.
    this.#set(null);
    await offer.prompt();
    return (await offer.userChoice).outcome === 'accepted';
  }

  get #way(): Installable {
    if (isApp()) return 'done';
    if (this.#offer) return 'ask';
    return isApplePhone() ? 'by hand' : 'no';
  }

  #set(offer: Offer | null): void {
    this.#offer = offer;
    for (const listener of this.#listeners) listener(this.#way);
  }
}

function isApp(): boolean {
  const { standalone } = navigator as { standalone?: boolean };
  return standalone === true || matchMedia('(display-mode: standalone), (display-mode: minimal-ui)').matches;
}

/** iPads call themselves Macs, but have more than one point of touch. */
function isApplePhone(): boolean {
  const { userAgent, maxTouchPoints } = navigator;
  return /iPhone|iPad/.test(userAgent) || (/Mac OS/.test(userAgent) && maxTouchPoints > 1);
}
