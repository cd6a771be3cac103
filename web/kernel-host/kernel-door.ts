import { Value } from 'typebox/value';
import type { Kernel } from '../../shared/kernel/kernel.ts';
import { messageOf } from '../../shared/protocol/errors.ts';
import { type PortLike, PortLink } from '../../shared/protocol/port-link.ts';
import { Hello, KERNEL_LOCK, YIELD_CHANNEL } from './door.ts';
import { systemClock } from './platform.ts';
import { startKernel } from './start-kernel.ts';

/** Longer than an answer takes to its page. */
const ANSWERED_MS = 200;

/** The kernel's side of the door: boots the kernel once, under the origin's lock, and lets pages in. */
export class KernelDoor {
  readonly #lock = `gsv-kernel-${crypto.randomUUID()}`;
  readonly #kernel: Promise<Kernel>;

  constructor() {
    void holdLock(this.#lock);
    this.#kernel = this.#boot();
    this.#kernel.catch(() => {});
  }

  /** Answers a page's hello on its port. Anything else on the port is dropped. */
  async admit(port: PortLike, hello: unknown): Promise<void> {
    if (!Value.Check(Hello, hello)) return;
    try {
      const kernel = await this.#kernel;
      const link = new PortLink(port);
      // The page waits for the welcome before it sends anything else.
      kernel.attach(link);
      port.postMessage({ type: 'welcome', lock: this.#lock });
      void navigator.locks.request(hello.lock, { mode: 'shared' }, () => link.lost('page closed'));
    } catch (thrown) {
      port.postMessage({ type: 'refused', reason: messageOf(thrown) });
    }
  }

  async #boot(): Promise<Kernel> {
    await takeKernelLock();
    // The page still gets its answer; then the next one boots on an empty disk.
    const erased = (): void => void systemClock.after(ANSWERED_MS, () => self.close());
    const kernel = await startKernel(erased);
    const channel = new BroadcastChannel(YIELD_CHANNEL);
    channel.onmessage = (event) => {
      if (event.data !== self.location.href) void kernel.stop().finally(() => self.close());
    };
    self.addEventListener('online', () => kernel.retryRoom());
    return kernel;
  }
}

/** Waits until no other kernel of this origin runs; one of another version is asked to end. */
async function takeKernelLock(): Promise<void> {
  const taken = await tryLock(KERNEL_LOCK);
  if (taken) return;
  const channel = new BroadcastChannel(YIELD_CHANNEL);
  channel.postMessage(self.location.href);
  channel.close();
  await new Promise<void>((resolve) => {
    void navigator.locks.request(KERNEL_LOCK, () => {
      resolve();
      return new Promise<void>(() => {});
    });
  });
}

function tryLock(name: string): Promise<boolean> {
  return new Promise((resolve) => {
    void navigator.locks.request(name, { ifAvailable: true }, (lock) => {
      resolve(lock !== null);
      return lock ? new Promise<void>(() => {}) : undefined;
    });
  });
}

function holdLock(name: string): Promise<void> {
  return new Promise((resolve) => {
    void navigator.locks.request(name, () => {
      resolve();
      return new Promise<void>(() => {});
    });
  });
}
