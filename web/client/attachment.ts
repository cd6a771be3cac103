import { messageOf, SyscallError } from '../../shared/protocol/errors.ts';
import type { SignalFrame } from '../../shared/protocol/frames.ts';
import { Peer } from '../../shared/protocol/peer.ts';
import { PortLink } from '../../shared/protocol/port-link.ts';
import { type Deferred, deferred } from '../../shared/std/deferred.ts';
import { BusPort } from '../kernel-host/bus-port.ts';
import { type Hello, UNLOCK_CHANNEL } from '../kernel-host/door.ts';
import { holdLock, sayHello } from '../kernel-host/greeting.ts';
import { Outdated } from '../kernel-host/kernel-turn.ts';
import { Locked } from '../kernel-host/locked.ts';
import { systemClock } from '../kernel-host/platform.ts';
import type { Attachment } from './gsv.ts';
import type { KernelHost } from './kernel-host.ts';

const HELLO_MS = 20_000;
const RETRY_MS = 500;

export type AttachmentEvents = {
  /** A fresh connection, before anything is called on it. Rejections mean another try. */
  attached(peer: Peer): Promise<void>;
  signal(frame: SignalFrame): void;
  changed(attachment: Attachment, reason: string): void;
  /** A newer version of this program has taken over in this browser. */
  outdated(): void;
};

/** What is told to a kernel that may be locked. */
type Key = { password?: string; remove?: true; answered?: Deferred<void> };
type Session = { peer: Peer; over: Promise<void> };

/** Keeps this tab attached to a kernel: finds one, notices when it dies, and looks for the next. */
export class KernelAttachment {
  readonly #host: KernelHost;
  readonly #events: AttachmentEvents;
  /** Where a locked disk's password is waited for. */
  #given: Deferred<Key> = deferred();
  #current: Deferred<Peer> = deferred();

  constructor(host: KernelHost, events: AttachmentEvents) {
    this.#host = host;
    this.#events = events;
    void this.#run();
  }

  /** The connection of now, or the one being made. */
  get peer(): Promise<Peer> {
    return this.#current.promise;
  }

  /**
   * Opens what this browser stores. Rejects with what was wrong; nothing happens while it is not locked. `remove`: for
   * whoever has forgotten the password.
   */
  unlock(key: { password: string } | { remove: true }): Promise<void> {
    const answered = deferred<void>();
    this.#given.resolve({ ...key, answered });
    return answered.promise;
  }

  /** One session after another, for as long as the page lives. */
  async #run(): Promise<void> {
    for (;;) {
      this.#events.changed('attaching', '');
      const session = await this.#open();
      this.#current.resolve(session.peer);
      this.#events.changed('attached', '');
      await session.over;
      this.#current = deferred();
    }
  }

  async #open(): Promise<Session> {
    for (let key: Key = {}; ; ) {
      try {
        const session = await this.#connect(key);
        key.answered?.resolve();
        return session;
      } catch (thrown) {
        key.answered?.reject(thrown);
        key = await this.#afterFailure(thrown);
      }
    }
  }

  /** What to try again with, when its time has come. */
  async #afterFailure(thrown: unknown): Promise<Key> {
    if (thrown instanceof Locked) {
      this.#given = deferred();
      this.#events.changed('locked', '');
      return Promise.race([this.#given.promise, openedElsewhere()]);
    }
    this.#events.changed('failed', messageOf(thrown));
    if (thrown instanceof Outdated) this.#events.outdated();
    await new Promise<void>((resolve) => systemClock.after(RETRY_MS, resolve));
    return {};
  }

  async #connect({ password, remove }: Key): Promise<Session> {
    const tab = crypto.randomUUID();
    const release = await holdLock(`gsv-tab-${tab}`);
    const over = deferred<void>();
    void over.promise.then(release);
    try {
      const port = this.#host.connect(tab);
      const hello: Hello = { type: 'hello', tab, lock: `gsv-tab-${tab}` };
      if (password !== undefined) hello.password = password;
      if (remove !== undefined) hello.remove = remove;
      const kernelLock = await sayHello(port, hello, port instanceof BusPort, AbortSignal.timeout(HELLO_MS));
      const link = new PortLink(port);
      const peer = new Peer(link, 'connecting', systemClock, {
        call: () => Promise.reject(new SyscallError(404, 'A page answers no calls')),
        signal: (frame) => this.#show(frame),
        closed: () => over.resolve(),
      });
      void navigator.locks.request(kernelLock, { mode: 'shared' }, () => link.lost('the kernel ended'));
      await this.#greet(peer);
      return { peer, over: over.promise };
    } catch (thrown) {
      over.resolve();
      throw thrown;
    }
  }

  /** A page that cannot show something is its own trouble, and not the link's. */
  #show(frame: SignalFrame): void {
    try {
      this.#events.signal(frame);
    } catch (thrown) {
      reportError(thrown);
    }
  }

  async #greet(peer: Peer): Promise<void> {
    try {
      await this.#events.attached(peer);
    } catch (thrown) {
      peer.close(1000, 'not greeted');
      throw thrown;
    }
  }
}

/** Resolves when another page has opened what was locked. */
function openedElsewhere(): Promise<Key> {
  return new Promise((resolve) => {
    const channel = new BroadcastChannel(UNLOCK_CHANNEL);
    channel.onmessage = () => {
      channel.close();
      resolve({});
    };
  });
}
