import { Value } from 'typebox/value';
import type { Kernel } from '../../shared/kernel/kernel.ts';
import { messageOf } from '../../shared/protocol/errors.ts';
import { type PortLike, PortLink } from '../../shared/protocol/port-link.ts';
import { BUILT } from '../built.ts';
import { Hello, Lend, type Refusal, type YieldMessage } from './door.ts';
import { holdLock } from './greeting.ts';
import { KernelTurn, Outdated } from './kernel-turn.ts';
import { Lenders } from './lent/lenders.ts';
import { systemClock } from './platform.ts';
import { startKernel } from './start-kernel.ts';

/** Longer than an answer takes to its page. */
const ANSWERED_MS = 200;

/** The kernel's side of the door: boots the kernel once, under the origin's lock, and lets pages in. */
export class KernelDoor {
  readonly #lock = `gsv-kernel-${crypto.randomUUID()}`;
  readonly #turn: KernelTurn;
  readonly #lenders = new Lenders(systemClock);
  readonly #kernel: Promise<Kernel>;

  constructor(host: YieldMessage['host']) {
    this.#turn = new KernelTurn({ built: BUILT, host });
    void holdLock(this.#lock);
    this.#kernel = this.#boot();
    this.#kernel.catch(() => {});
  }

  /** Answers the hello of a page, or of somebody who lends an engine, on its port. Anything else on it is dropped. */
  async admit(port: PortLike, hello: unknown): Promise<void> {
    if (Value.Check(Lend, hello)) this.#borrow(port, hello);
    else if (Value.Check(Hello, hello)) await this.#attach(port, hello);
  }

  #borrow(port: PortLike, { lock, engines }: Lend): void {
    const link = new PortLink(port);
    this.#lenders.admit(link, engines);
    port.postMessage({ type: 'welcome', lock: this.#lock });
    void navigator.locks.request(lock, { mode: 'shared' }, () => link.lost('page closed'));
  }

  async #attach(port: PortLike, hello: Hello): Promise<void> {
    try {
      const kernel = await this.#kernel;
      const link = new PortLink(port);
      // The page waits for the welcome before it sends anything else.
      kernel.attach(link);
      port.postMessage({ type: 'welcome', lock: this.#lock });
      void navigator.locks.request(hello.lock, { mode: 'shared' }, () => link.lost('page closed'));
    } catch (thrown) {
      const outdated = thrown instanceof Outdated;
      port.postMessage({ type: 'refused', reason: messageOf(thrown), outdated } satisfies Refusal);
      if (outdated) endSoon();
    }
  }

  async #boot(): Promise<Kernel> {
    await this.#turn.take();
    // The page still gets its answer; then the next one boots on an empty disk.
    const booting = startKernel(endSoon, this.#lenders);
    // Who asks while it boots waits for no longer than that.
    this.#turn.onAsked(() => void booting.then((kernel) => kernel.stop()).finally(() => self.close()));
    const kernel = await booting;
    self.addEventListener('online', () => kernel.retryRoom());
    return kernel;
  }
}

/** Ends this worker, after the answers that it owes. */
function endSoon(): void {
  systemClock.after(ANSWERED_MS, () => self.close());
}
