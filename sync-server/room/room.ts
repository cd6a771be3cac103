import { SyscallError } from '../../shared/protocol/errors.ts';
import type { Link } from '../../shared/protocol/link.ts';
import { GSV_VERSION, PROTOCOL_VERSION } from '../../shared/protocol/version.ts';
import type { Clock } from '../../shared/std/clock.ts';
import type { Random } from '../../shared/std/random.ts';
import type { ConnectionIdentity } from '../../shared/syscalls/sys.ts';
import type { Args, Result } from '../../shared/syscalls/table.ts';
import type { Admission } from './admission.ts';
import { authenticate, type SignedIn } from './authenticate.ts';
import { answer, callable } from './calls.ts';
import { Connection } from './connection.ts';
import { openParts, type RoomParts } from './parts.ts';
import { relayToProvider } from './provider-relay.ts';
import { relayed } from './replica-signal.ts';
import type { KernelSession, Session } from './session.ts';
import type { RoomStorage } from './storage.ts';

export type RoomOptions = {
  storage: RoomStorage;
  clock: Clock;
  random: Random;
  /** `gsv_claim_…`; empty when this room cannot be claimed. */
  claimSecret: string;
  /** Asks the web; the host's own. */
  fetch(request: Request): Promise<Response>;
};

/** Signals that a kernel may get of its room. */
const KERNEL_SIGNALS = [
  'device.status',
  'doc.ack',
  'doc.refused',
  'replica.status',
  'replica.signal',
  'lease.lost',
  'inbox.changed',
];

/**
 * One GSV's room: joins its replicas, relays to its drivers, and keeps its documents. The host gives it storage
 * and links, and keeps nothing of its own.
 */
export class Room {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #parts: RoomParts;

  private constructor({ clock, random }: RoomOptions, parts: RoomParts) {
    this.#clock = clock;
    this.#random = random;
    this.#parts = parts;
  }

  /** Reads what was stored. Rejects when the storage cannot be read. */
  static async open(options: RoomOptions): Promise<Room> {
    return new Room(options, await openParts(options));
  }

  get health(): { ok: true; claimed: boolean; version: string } {
    return { ok: true, claimed: this.#parts.claim.claimed, version: GSV_VERSION };
  }

  /** How many documents are in memory. */
  get openDocuments(): number {
    return this.#parts.documents.size;
  }

  /** Serves a fresh link until it closes. */
  accept(link: Link): void {
    new Connection(this.#random.uuid(), link, this.#clock, {
      connect: (self, args) => this.#connect(self, args),
      call: (self, session, call) =>
        answer(this.#parts, { connection: self, session }, this.#capabilities(session), call),
      signal: (session, frame) => this.#signal(session, frame.signal, frame.payload),
      left: (self) => void this.#left(self),
    });
  }

  /** What browsers subscribe with to be told of news; it is no secret. */
  pushKey(): Promise<string> {
    return this.#parts.push.publicKey();
  }

  /** Answers `POST /relay`; Host and Origin were checked by the host. */
  relay(request: Request, fetcher: typeof fetch): Promise<Response> {
    return relayToProvider(request, this.#parts.control(), this.#clock.now(), fetcher);
  }

  async #connect(
    connection: Connection,
    args: Args<'sys.connect'>,
  ): Promise<{ session: Session; result: Result<'sys.connect'> }> {
    const signedIn = await authenticate(this.#parts, args);
    const { session } = signedIn;
    if (connection.peer.closed) throw goneAlready();
    const number = await this.#admit(connection, signedIn, args);
    return {
      session,
      result: {
        protocol: PROTOCOL_VERSION,
        server: { version: GSV_VERSION, connectionId: connection.id, ...number },
        identity: this.#identity(session),
        syscalls: callable(this.#parts.answers, session, this.#capabilities(session)),
        signals: session.kind === 'kernel' ? KERNEL_SIGNALS : [],
      },
    };
  }

  async #admit(
    connection: Connection,
    { session, admission }: SignedIn,
    { client }: Args<'sys.connect'>,
  ): Promise<{ replicaIndex?: number }> {
    const { tokens, drivers } = this.#parts;
    if (session.tokenId !== null) tokens.watch(session.tokenId, connection.peer);
    if (session.kind === 'driver') await drivers.connected(connection, session, client);
    if (session.kind !== 'kernel') return {};
    return { replicaIndex: await this.#kernelConnected(connection, session, admission) };
  }

  async #kernelConnected(
    connection: Connection,
    session: KernelSession,
    admission: Admission | null,
  ): Promise<number> {
    const { newcomers, replicas, claim, kernels } = this.#parts;
    const { peer } = connection;
    const { replicaId } = session;
    // Before an invitation is used up for nothing.
    if (replicaId !== claim.claimant) replicas.demandNumber(replicaId);
    if (admission) await newcomers.admit(session, admission, peer);
    try {
      const index = await replicas.connected(replicaId, replicaId === claim.claimant);
      if (peer.closed) throw goneAlready();
      if (kernels.add(replicaId, connection)) this.#tellOfReplica('connected', replicaId);
      // After the answer to sys.connect, so that the kernel knows who it is before it hears of others.
      this.#clock.after(0, () => this.#introduce(connection));
      return index;
    } catch (thrown) {
      newcomers.left(peer);
      throw thrown;
    }
  }

  #introduce({ peer }: Connection): void {
    this.#parts.drivers.introduce(peer);
    for (const { replicaId } of this.#parts.replicas.all())
      peer.signal('replica.status', { event: 'snapshot', replica: this.#presence(replicaId) });
  }

  #tellOfReplica(event: 'connected' | 'disconnected', replicaId: string): void {
    this.#parts.kernels.tellOthers(replicaId, 'replica.status', {
      event,
      replica: this.#presence(replicaId),
    });
  }

  #presence(replicaId: string): { replicaId: string; online: boolean; lastSeenAt: number } {
    const { kernels, replicas } = this.#parts;
    return {
      replicaId,
      online: kernels.isOnline(replicaId),
      lastSeenAt: replicas.lastSeenAt(replicaId),
    };
  }

  async #left(connection: Connection): Promise<void> {
    const { tokens, newcomers, drivers, kernels, replicas } = this.#parts;
    tokens.forget(connection.peer);
    newcomers.left(connection.peer);
    await drivers.left(connection);
    const replicaId = kernels.remove(connection);
    if (replicaId === undefined) return;
    await replicas.seen(replicaId);
    if (kernels.isOnline(replicaId)) return;
    this.#parts.push.attend(replicaId, false);
    this.#tellOfReplica('disconnected', replicaId);
  }

  /** The live frames of one kernel reach the pages of the others, and it says whether somebody looks. Nobody else is heard. */
  #signal(session: Session, name: string, payload: unknown): void {
    if (session.kind !== 'kernel') return;
    const { replicaId } = session;
    if (name === 'replica.attend') this.#parts.push.attend(replicaId, isVisible(payload));
    if (name !== 'replica.signal') return;
    const signal = relayed(payload, replicaId);
    if (signal) this.#parts.kernels.tellOthers(replicaId, name, signal);
  }

  /** Drivers hold no capabilities of their own. */
  #capabilities(session: Session): readonly string[] {
    return session.kind === 'driver' ? [] : this.#parts.control().capabilities(session.uid);
  }

  #identity(session: Session): ConnectionIdentity {
    const process = this.#parts.control().identity(session.uid);
    if (!process) throw new SyscallError(401, 'This user does not exist any more');
    const capabilities = [...this.#capabilities(session)];
    if (session.kind === 'user') return { role: 'user', process, capabilities };
    if (session.kind === 'kernel') return { role: 'service', process, capabilities, channel: 'kernel' };
    return {
      role: 'driver',
      process,
      capabilities,
      device: session.deviceId,
      implements: session.implements,
    };
  }
}

function isVisible(payload: unknown): boolean {
  return (payload as { visible?: unknown } | null)?.visible === true;
}

function goneAlready(): SyscallError {
  return new SyscallError(503, 'The connection is gone');
}
