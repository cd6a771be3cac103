import { matches } from '../../shared/std/matches.ts';
import { KERNEL_LOCK, YIELD_CHANNEL, YieldMessage } from './door.ts';

/** A kernel of a newer version runs in this browser. */
export class Outdated extends Error {
  constructor() {
    super('A newer version of GSV runs in this browser. Reload the page to use it.');
  }
}

/** Whose turn it is to run, among kernels of several versions and hosts: one at a time, and never an older one after a newer. */
export class KernelTurn {
  readonly #own: Omit<YieldMessage, 'type'>;
  readonly #channel = new BroadcastChannel(YIELD_CHANNEL);

  constructor(own: Omit<YieldMessage, 'type'>) {
    this.#own = own;
  }

  /** Resolves when no other kernel of this origin runs. Rejects with Outdated when a newer one does. */
  async take(): Promise<void> {
    if (await tryLock(KERNEL_LOCK)) return;
    const waiting = new AbortController();
    this.#listen((message) => {
      if (message.type === 'stay' && message.built > this.#own.built) waiting.abort(new Outdated());
    });
    this.#say('yield');
    try {
      await waitForLock(KERNEL_LOCK, waiting.signal);
    } catch (thrown) {
      this.#channel.close();
      throw thrown;
    }
  }

  /** From here on, others that ask are answered; `end` is called once this kernel has to go. */
  onAsked(end: () => void): void {
    this.#listen(({ type, built, host }) => {
      if (type !== 'yield') return;
      if (built < this.#own.built) this.#say('stay');
      else if (built > this.#own.built || host !== this.#own.host) end();
    });
  }

  #listen(listener: (message: YieldMessage) => void): void {
    this.#channel.onmessage = ({ data }) => {
      if (matches(YieldMessage, data)) listener(data);
    };
  }

  #say(type: YieldMessage['type']): void {
    this.#channel.postMessage({ type, ...this.#own } satisfies YieldMessage);
  }
}

function tryLock(name: string): Promise<boolean> {
  return new Promise((resolve) => {
    void navigator.locks.request(name, { ifAvailable: true }, (lock) => {
      resolve(lock !== null);
      return lock ? new Promise<void>(() => {}) : undefined;
    });
  });
}

function waitForLock(name: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const held = (): Promise<void> => {
      resolve();
      return new Promise(() => {});
    };
    navigator.locks.request(name, { signal }, held).catch(() => reject(signal.reason));
  });
}
