import { SyscallError } from '../../shared/protocol/errors.ts';
import type { Frame } from '../../shared/protocol/frames.ts';
import { limits } from '../../shared/protocol/limits.ts';
import type { Link, LinkEvents } from '../../shared/protocol/link.ts';
import { Peer, type PeerHandlers } from '../../shared/protocol/peer.ts';
import type { Clock } from '../../shared/std/clock.ts';
import { systemClock } from '../../web/kernel-host/platform.ts';
import { turns } from './turns.ts';

/** One end of a link whose frames travel as text and bytes, in order, each in its own turn of the event loop. */
export class WireEnd implements Link {
  readonly inlineBytes = limits.inlineBytes;
  other: WireEnd | null = null;
  /** What arrived here, as it was sent. */
  readonly arrived: (string | Uint8Array)[] = [];
  closedWith: string | null = null;
  #events: LinkEvents | null = null;

  listen(events: LinkEvents): void {
    this.#events = events;
  }

  send(message: Frame | Uint8Array): void {
    if (this.closedWith !== null) return;
    this.inject(message instanceof Uint8Array ? message.slice() : JSON.stringify(message));
  }

  /** Makes the other end receive something, well-formed or not. */
  inject(message: string | Uint8Array): void {
    const { other } = this;
    setImmediate(() => other?.receive(message));
  }

  receive(message: string | Uint8Array): void {
    if (this.closedWith !== null) return;
    this.arrived.push(message);
    this.#events?.message(message);
  }

  close(_code: number, reason: string): void {
    const { other } = this;
    setImmediate(() => other?.lost(reason));
    this.lost(reason);
  }

  lost(reason: string): void {
    if (this.closedWith !== null) return;
    this.closedWith = reason;
    this.#events?.closed(reason);
  }
}

export function wire(): [WireEnd, WireEnd] {
  const ends: [WireEnd, WireEnd] = [new WireEnd(), new WireEnd()];
  [ends[0].other, ends[1].other] = [ends[1], ends[0]];
  return ends;
}

const nothingHere: PeerHandlers = {
  call: () => Promise.reject(new SyscallError(404, 'nothing here')),
  signal: () => {},
  closed: () => {},
};

/** Two peers on one link; `answers` is what the far one does with calls. */
export function linkedPeers(answers: Partial<PeerHandlers>, clock: Clock = systemClock) {
  const [nearEnd, farEnd] = wire();
  const near = new Peer(nearEnd, 'connecting', clock, nothingHere);
  const far = new Peer(farEnd, 'accepting', clock, { ...nothingHere, ...answers });
  return { near, far, nearEnd, farEnd };
}

/** Lets the event loop turn until `done`, or fails after a generous number of turns. */
export async function until(done: () => boolean, what = 'it'): Promise<void> {
  for (let taken = 0; !done(); taken += 1) {
    if (taken > 20_000) throw new Error(`${what} did not happen`);
    await turns(1);
  }
}
