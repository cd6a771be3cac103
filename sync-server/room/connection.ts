import { SyscallError } from '../../shared/protocol/errors.ts';
import type { SignalFrame } from '../../shared/protocol/frames.ts';
import type { Link } from '../../shared/protocol/link.ts';
import { type IncomingCall, Peer, type Reply } from '../../shared/protocol/peer.ts';
import type { Clock } from '../../shared/std/clock.ts';
import { checkArgs } from '../../shared/syscalls/gate.ts';
import type { Args, Result } from '../../shared/syscalls/table.ts';
import type { DocChannel } from './channel-life.ts';
import type { Session } from './session.ts';

/** A connection that has not signed in after this long is closed. */
export const SIGN_IN_MS = 10_000;
/** Close codes of this protocol, beside the WebSocket's own. */
export const CLOSE = { tokenEnded: 4401, signInTimeout: 4408, replaced: 4409 } as const;

/** What a connection needs of its room. */
export type ConnectionHost = {
  /** Signs the connection in, or throws SyscallError and leaves it as it was. */
  connect(
    connection: Connection,
    args: Args<'sys.connect'>,
  ): Promise<{ session: Session; result: Result<'sys.connect'> }>;
  /** Answers a call of a connection that has signed in. */
  call(connection: Connection, session: Session, call: IncomingCall): Promise<Reply>;
  /** A signal of a connection that has signed in. */
  signal(session: Session, frame: SignalFrame): void;
  /** The connection is gone; called once. */
  left(connection: Connection): void;
};

type State = { kind: 'new' } | { kind: 'connecting' } | { kind: 'ready'; session: Session };

/** One socket of the room: nothing is answered before `sys.connect` has given it an identity. */
export class Connection {
  readonly id: string;
  readonly peer: Peer;
  /** Open document channels by number. */
  readonly channels = new Map<number, DocChannel>();
  readonly #host: ConnectionHost;
  #state: State = { kind: 'new' };
  #cancelTimeout: () => void;

  constructor(id: string, link: Link, clock: Clock, host: ConnectionHost) {
    this.id = id;
    this.#host = host;
    this.#cancelTimeout = clock.after(SIGN_IN_MS, () =>
      this.peer.close(CLOSE.signInTimeout, 'not signed in within 10 s'),
    );
    this.peer = new Peer(link, 'accepting', clock, {
      call: (call) => this.#call(call),
      signal: (frame) => {
        if (this.#state.kind === 'ready') host.signal(this.#state.session, frame);
      },
      bytes: (channel, bytes) => this.#bytes(channel, bytes),
      // Of a stranger nothing is kept.
      takesBodies: () => this.#state.kind === 'ready',
      closed: () => this.#closed(),
    });
  }

  /** Who this is; undefined before it has signed in. */
  get session(): Session | undefined {
    return this.#state.kind === 'ready' ? this.#state.session : undefined;
  }

  async #call(call: IncomingCall): Promise<Reply> {
    if (call.call === 'sys.connect') return { data: await this.#connect(call.args) };
    if (this.#state.kind !== 'ready') throw new SyscallError(403, 'Must call sys.connect first');
    return this.#host.call(this, this.#state.session, call);
  }

  async #connect(args: unknown): Promise<Result<'sys.connect'>> {
    if (this.#state.kind !== 'new') throw new SyscallError(409, 'Already connected');
    this.#state = { kind: 'connecting' };
    try {
      const { session, result } = await this.#host.connect(this, checkArgs('sys.connect', args));
      this.#cancelTimeout();
      this.#state = { kind: 'ready', session };
      return result;
    } catch (thrown) {
      this.#state = { kind: 'new' };
      throw thrown;
    }
  }

  #bytes(channel: number, bytes: Uint8Array): boolean {
    const open = this.channels.get(channel);
    open?.receive(bytes);
    return open !== undefined;
  }

  #closed(): void {
    this.#cancelTimeout();
    for (const channel of this.channels.values()) channel.close();
    this.channels.clear();
    this.#host.left(this);
  }
}
