import { messageOf, SyscallError } from '../../shared/protocol/errors.ts';
import type { SignalFrame } from '../../shared/protocol/frames.ts';
import { Peer } from '../../shared/protocol/peer.ts';
import { PortLink } from '../../shared/protocol/port-link.ts';
import { systemClock } from '../kernel-host/platform.ts';
import type { Attachment } from './gsv.ts';
import { type KernelHost, sayHello } from './kernel-host.ts';

const HELLO_MS = 20_000;
const RETRY_MS = 500;

export type AttachmentEvents = {
  /** A fresh connection, before anything is called on it. Rejections mean another try. */
  attached(peer: Peer): Promise<void>;
  signal(frame: SignalFrame): void;
  changed(attachment: Attachment, reason: string): void;
};

/** Keeps this tab attached to a kernel: finds one, notices when it dies, and looks for the next. */
export class KernelAttachment {
  readonly #host: KernelHost;
  readonly #events: AttachmentEvents;
  #peer: Promise<Peer>;

  constructor(host: KernelHost, events: AttachmentEvents) {
    this.#host = host;
    this.#events = events;
    this.#peer = this.#attach();
  }

  /** The connection of now, or the one being made. */
  get peer(): Promise<Peer> {
    return this.#peer;
  }

  async #attach(): Promise<Peer> {
    this.#events.changed('attaching', '');
    for (;;) {
      try {
        const peer = await this.#connect();
        this.#events.changed('attached', '');
        return peer;
      } catch (thrown) {
        this.#events.changed('failed', messageOf(thrown));
        await new Promise<void>((resolve) => systemClock.after(RETRY_MS, resolve));
      }
    }
  }

  async #connect(): Promise<Peer> {
    const tab = crypto.randomUUID();
    const release = await holdLock(`gsv-tab-${tab}`);
    const port = this.#host.connect(tab);
    try {
      const kernelLock = await sayHello(port, tab, `gsv-tab-${tab}`, AbortSignal.timeout(HELLO_MS));
      const link = new PortLink(port);
      const peer = new Peer(link, 'connecting', systemClock, {
        call: () => Promise.reject(new SyscallError(404, 'A page answers no calls')),
        signal: (frame) => this.#events.signal(frame),
        closed: () => {
          release();
          this.#peer = this.#attach();
        },
      });
      void navigator.locks.request(kernelLock, { mode: 'shared' }, () => link.lost('the kernel ended'));
      await this.#events.attached(peer);
      return peer;
    } catch (thrown) {
      release();
      throw thrown;
    }
  }
}

/** Resolves when the lock is held, to the function that releases it. */
function holdLock(name: string): Promise<() => void> {
  return new Promise((resolve) => {
    void navigator.locks.request(name, () => new Promise<void>((release) => resolve(release)));
  });
}
