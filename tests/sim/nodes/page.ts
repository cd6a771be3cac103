import type { Kernel } from '../../../shared/kernel/kernel.ts';
import { SyscallError } from '../../../shared/protocol/errors.ts';
import type { Frame } from '../../../shared/protocol/frames.ts';
import type { Link, LinkEvents } from '../../../shared/protocol/link.ts';
import { Peer } from '../../../shared/protocol/peer.ts';
import { PROTOCOL_VERSION } from '../../../shared/protocol/version.ts';
import type { Args, Result, SyscallName } from '../../../shared/syscalls/table.ts';
import { Life } from '../engine/life.ts';
import type { Timeline } from '../engine/timeline.ts';
import type { Witness } from './witness.ts';

/** What became of a call of a page. */
export type Outcome<Name extends SyscallName> =
  | { kind: 'open' }
  | { kind: 'answered'; result: Result<Name> }
  | { kind: 'failed'; code: number; message: string };

export type PageParts = {
  kernel: Kernel;
  life: Life;
  replica: string;
  timeline: Timeline;
  witness: Witness;
};

/** A page of one kernel. Its link holds nothing back; a call that is made is known at once and settles in time. */
export class SimPage {
  readonly #peer: Peer;
  readonly #near: Near;
  readonly #parts: PageParts;
  signedIn = false;

  constructor(parts: PageParts) {
    const { kernel, life, timeline, witness, replica } = parts;
    this.#parts = parts;
    const [near, far] = portPair(life, (signal, payload) => witness.heard(replica, signal, payload));
    this.#near = near;
    const pageLife = new Life(timeline, { ms: 0 });
    this.#peer = new Peer(near, 'connecting', pageLife.clock(), {
      call: () => Promise.reject(new SyscallError(404, 'nothing here')),
      signal: () => {},
      closed: () => {},
    });
    kernel.attach(far);
  }

  signIn(auth: { username: string; token?: string; password?: string }): void {
    const client = { id: 'page', version: '0', platform: 'sim', role: 'user' as const };
    const call = this.call('sys.connect', { protocol: PROTOCOL_VERSION, client, auth });
    void call.done.then((outcome) => {
      this.signedIn = outcome.kind === 'answered';
    });
  }

  /** Makes a call; what becomes of it stands in `outcome` as soon as it is known. */
  call<Name extends SyscallName>(name: Name, args: Args<Name>): PageCall<Name> {
    const call: PageCall<Name> = {
      name,
      args,
      outcome: { kind: 'open' },
      done: Promise.resolve({ kind: 'open' }),
    };
    call.done = this.#peer.call(name, args).then(
      ({ data }) => settle(call, { kind: 'answered', result: data as Result<Name> }),
      (thrown: unknown) => settle(call, failedBy(thrown)),
    );
    this.#parts.witness.called(this.#parts.replica, call);
    return call;
  }

  /** Ends the page's side when its kernel is gone. */
  lose(reason: string): void {
    this.#near.lost(reason);
  }
}

export type PageCall<Name extends SyscallName = SyscallName> = {
  readonly name: Name;
  readonly args: Args<Name>;
  outcome: Outcome<Name>;
  done: Promise<Outcome<Name>>;
};

function settle<Name extends SyscallName>(call: PageCall<Name>, outcome: Outcome<Name>): Outcome<Name> {
  call.outcome = outcome;
  return outcome;
}

function failedBy<Name extends SyscallName>(thrown: unknown): Outcome<Name> {
  const code = thrown instanceof SyscallError ? thrown.code : 500;
  return { kind: 'failed', code, message: thrown instanceof Error ? thrown.message : String(thrown) };
}

type OnSignal = (signal: string, payload: Record<string, unknown>) => void;
type Near = Link & { lost(reason: string): void };

/** Two ends in one browser: frames are objects, and arrive in the same turn. */
function portPair(life: Life, onSignal: OnSignal): [Near, Link] {
  let nearEvents: LinkEvents | null = null;
  let farEvents: LinkEvents | null = null;
  let open = true;
  const end = (reason: string): void => {
    if (!open) return;
    open = false;
    nearEvents?.closed(reason);
    life.run(() => farEvents?.closed(reason));
  };
  const near: Near = {
    inlineBytes: Number.POSITIVE_INFINITY,
    listen: (events) => {
      nearEvents = events;
    },
    send: (message) => queueMicrotask(() => open && life.run(() => farEvents?.message(message))),
    close: (_code, reason) => end(reason),
    lost: end,
  };
  const far: Link = {
    inlineBytes: Number.POSITIVE_INFINITY,
    listen: (events) => {
      farEvents = events;
    },
    send: (message) => {
      if (life.over || !open) return;
      const frame = message as Frame;
      if (frame.type === 'sig') onSignal(frame.signal, (frame.payload ?? {}) as Record<string, unknown>);
      queueMicrotask(() => open && nearEvents?.message(message));
    },
    close: (_code, reason) => (life.over ? undefined : end(reason)),
  };
  return [near, far];
}
