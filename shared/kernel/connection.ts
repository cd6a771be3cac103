import { SyscallError } from '../protocol/errors.ts';
import type { Link } from '../protocol/link.ts';
import { type IncomingCall, Peer, type Reply } from '../protocol/peer.ts';
import { GSV_VERSION, PROTOCOL_VERSION } from '../protocol/version.ts';
import type { Clock } from '../std/clock.ts';
import { checkArgs, covers } from '../syscalls/gate.ts';
import type { ProcessIdentity } from '../syscalls/proc.ts';
import { type Args, isSyscall, type Result, signalNames, syscallNames, table } from '../syscalls/table.ts';
import type { Authenticated } from './auth/authenticate.ts';
import type { Dispatcher } from './dispatch.ts';
import type { Caller } from './handler.ts';

export type ConnectionParts = {
  dispatcher: Dispatcher;
  clock: Clock;
  setupMode(): boolean;
  /** Throws SyscallError 400, 401, 403 or 429. */
  authenticate(args: Args<'sys.connect'>): Promise<Authenticated>;
  onClosed(id: string): void;
};

const NOBODY: ProcessIdentity = {
  uid: 65534,
  gid: 65534,
  gids: [],
  username: 'nobody',
  home: '/',
  cwd: '/',
  workspaceId: null,
};

/** One attached page. Before `sys.connect` it may only set up, ask for the status, or connect. */
export class Connection {
  readonly id: string;
  readonly #parts: ConnectionParts;
  readonly #peer: Peer;
  #caller: Caller | null = null;
  #tokenId: string | null = null;
  #cancelExpiry: () => void = () => {};

  constructor(id: string, link: Link, parts: ConnectionParts) {
    this.id = id;
    this.#parts = parts;
    this.#peer = new Peer(link, 'accepting', parts.clock, {
      call: (call) => this.#onCall(call),
      signal: () => {},
      closed: () => {
        this.#cancelExpiry();
        parts.onClosed(id);
      },
    });
  }

  /** Undefined before `sys.connect`. */
  get uid(): number | undefined {
    return this.#caller?.identity.uid;
  }

  get tokenId(): string | null {
    return this.#tokenId;
  }

  signal(signal: string, payload: Record<string, unknown>): void {
    this.#peer.signal(signal, payload);
  }

  close(code: number, reason: string): void {
    this.#peer.close(code, reason);
  }

  async #onCall(incoming: IncomingCall): Promise<Reply> {
    if (incoming.call === 'sys.connect') return { data: await this.#connect(incoming.args) };
    const caller = this.#caller ?? this.#anonymous(incoming.call);
    const { call, args, key, stream, signal, ttl, progress } = incoming;
    const { data, stream: bytes } = await this.#parts.dispatcher.dispatch(caller, call, args, {
      signal,
      key,
      stream,
      timeoutMs: ttl,
      onProgress: progress,
    });
    return bytes ? { data, stream: bytes } : { data };
  }

  #expire(at: number): void {
    const { clock } = this.#parts;
    this.#cancelExpiry = clock.after(at - clock.now(), () => this.close(4401, 'token expired'));
  }

  #anonymous(call: string): Caller {
    if (!isSyscall(call) || table[call].audience !== 'anyone') throw this.#notConnected();
    return { identity: NOBODY, capabilities: [], origin: { kind: 'tab', connectionId: this.id } };
  }

  #notConnected(): SyscallError {
    if (!this.#parts.setupMode()) return new SyscallError(403, 'Must call sys.connect first');
    return new SyscallError(425, 'This GSV is not set up yet', {
      details: { setupMode: true, next: 'sys.setup' },
    });
  }

  async #connect(rawArgs: unknown): Promise<Result<'sys.connect'>> {
    const args = checkArgs('sys.connect', rawArgs);
    if (this.#caller) throw new SyscallError(409, 'Already connected');
    if (args.protocol !== PROTOCOL_VERSION) {
      throw new SyscallError(426, `This kernel speaks protocol ${PROTOCOL_VERSION}`, {
        details: { protocol: PROTOCOL_VERSION },
      });
    }
    if (this.#parts.setupMode()) throw this.#notConnected();
    const { identity, tokenId, expiresAt } = await this.#parts.authenticate(args);
    if (this.#caller) throw new SyscallError(409, 'Already connected');
    const { capabilities } = identity;
    this.#caller = {
      identity: identity.process,
      capabilities,
      origin: { kind: 'tab', connectionId: this.id },
    };
    this.#tokenId = tokenId;
    if (expiresAt !== null) this.#expire(expiresAt);
    return {
      protocol: PROTOCOL_VERSION,
      server: { version: GSV_VERSION, connectionId: this.id },
      identity,
      syscalls: syscallNames.filter((name) => covers(capabilities, name)),
      signals: [...signalNames],
    };
  }
}
