import type { PortLike } from '../../shared/protocol/port-link.ts';
import { matches } from '../../shared/std/matches.ts';
import { Envelope } from './door.ts';

/** A port made of addressed messages on a BroadcastChannel, for hosts that cannot hand out MessagePorts. */
export class BusPort implements PortLike {
  onmessage: ((event: { data: unknown }) => void) | null = null;
  readonly #channel: BroadcastChannel;
  readonly #self: string;
  readonly #other: string;

  constructor(channel: BroadcastChannel, self: string, other: string) {
    this.#channel = channel;
    this.#self = self;
    this.#other = other;
    channel.addEventListener('message', this.#receive);
  }

  postMessage(data: unknown): void {
    this.#channel.postMessage({ to: this.#other, from: this.#self, data } satisfies Envelope);
  }

  close(): void {
    this.#channel.removeEventListener('message', this.#receive);
    this.onmessage = null;
  }

  readonly #receive = (event: MessageEvent<unknown>): void => {
    const envelope = event.data;
    if (!matches(Envelope, envelope)) return;
    if (envelope.to === this.#self && envelope.from === this.#other)
      this.onmessage?.({ data: envelope.data });
  };
}
