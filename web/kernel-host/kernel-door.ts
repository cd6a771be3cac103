import { Value } from 'typebox/value';
import type { Kernel } from '../../shared/kernel/kernel.ts';
import { messageOf } from '../../shared/protocol/errors.ts';
import { type PortLike, PortLink } from '../../shared/protocol/port-link.ts';
import { deferred } from '../../shared/std/deferred.ts';
import { BUILT } from '../built.ts';
import { Hello, Lend, type Refusal, UNLOCK_CHANNEL, type YieldMessage } from './door.ts';
import { holdLock } from './greeting.ts';
import { KernelTurn, Outdated } from './kernel-turn.ts';
import { Lenders } from './lent/lenders.ts';
import { Locked } from './locked.ts';
import { systemClock } from './platform.ts';
import { type KernelEnds, startKernel } from './start-kernel.ts';
import { Disk } from './storage/disk.ts';

/** Longer than an answer takes to its page. */
const ANSWERED_MS = 200;

const WRONG_PASSWORD = 'That is not the password that opens what this browser stores.';

/** The kernel's side of the door: boots the kernel once, under the origin's lock, and lets pages in. */
export class KernelDoor {
  readonly #lock = `gsv-kernel-${crypto.randomUUID()}`;
  readonly #turn: KernelTurn;
  readonly #lenders = new Lenders(systemClock);
  readonly #unlocked = deferred<void>();
  readonly #disk: Promise<Disk>;
  readonly #kernel: Promise<Kernel>;
  readonly #again: () => void;

  /** `again` is called before this worker ends although another is wanted at once. */
  constructor(host: YieldMessage['host'], again: () => void) {
    this.#turn = new KernelTurn({ built: BUILT, host });
    this.#again = again;
    void holdLock(this.#lock);
    this.#disk = this.#open();
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
      await this.#unlock(await this.#disk, hello);
      const kernel = await this.#kernel;
      const link = new PortLink(port);
      // The page waits for the welcome before it sends anything else.
      kernel.attach(link);
      port.postMessage({ type: 'welcome', lock: this.#lock });
      void navigator.locks.request(hello.lock, { mode: 'shared' }, () => link.lost('page closed'));
    } catch (thrown) {
      const [outdated, locked] = [thrown instanceof Outdated, thrown instanceof Locked];
      port.postMessage({ type: 'refused', reason: messageOf(thrown), outdated, locked } satisfies Refusal);
      if (outdated) endSoon();
    }
  }

  /** Rejects with Locked when what is stored stays closed. */
  async #unlock(disk: Disk, { password, remove }: Hello): Promise<void> {
    if (!disk.locked) return;
    if (remove === true) return this.#remove(disk);
    if (password === undefined) throw new Locked();
    if (!(await disk.unlock(password))) throw new Locked(WRONG_PASSWORD);
    this.#unlocked.resolve();
    tellUnlocked();
  }

  /** The next kernel starts on an empty disk. */
  async #remove(disk: Disk): Promise<never> {
    await disk.erase();
    tellUnlocked();
    this.#endForAnother();
    throw new Error('GSV was removed from this browser');
  }

  async #open(): Promise<Disk> {
    await this.#turn.take();
    this.#turn.onAsked(() => void this.#stop().finally(() => self.close()));
    return Disk.open();
  }

  /** Who asks while it boots waits for no longer than that, and while it is locked not at all. */
  async #stop(): Promise<void> {
    const disk = await this.#disk;
    if (!disk.locked) await (await this.#kernel).stop();
  }

  async #boot(): Promise<Kernel> {
    const disk = await this.#disk;
    if (disk.locked) await this.#unlocked.promise;
    const kernel = await startKernel(disk, this.#ends(), this.#lenders);
    self.addEventListener('online', () => kernel.retryRoom());
    return kernel;
  }

  /** The page still gets its answer; then the next kernel boots, on a disk that is empty, locked, or another one. */
  #ends(): KernelEnds {
    return {
      erased: endSoon,
      again: () => {
        systemClock.after(ANSWERED_MS, () => {
          void this.#stop().finally(() => this.#endForAnother());
        });
      },
    };
  }

  #endForAnother(): void {
    this.#again();
    endSoon();
  }
}

function tellUnlocked(): void {
  const channel = new BroadcastChannel(UNLOCK_CHANNEL);
  channel.postMessage('unlocked');
  channel.close();
}

/** Ends this worker, after the answers that it owes. */
function endSoon(): void {
  systemClock.after(ANSWERED_MS, () => self.close());
}
