import { SyscallError } from '../../shared/protocol/errors.ts';
import type { Link } from '../../shared/protocol/link.ts';
import type { IncomingCall, Reply } from '../../shared/protocol/peer.ts';
import { GSV_VERSION, PROTOCOL_VERSION } from '../../shared/protocol/version.ts';
import type { Clock } from '../../shared/std/clock.ts';
import type { Random } from '../../shared/std/random.ts';
import type { ConnectionIdentity } from '../../shared/syscalls/sys.ts';
import type { Args, Result } from '../../shared/syscalls/table.ts';
import { authenticate } from './authenticate.ts';
import { answer, callable } from './calls.ts';
import { Claim } from './claim.ts';
import { CLOSE, Connection } from './connection.ts';
import { type Control, tokenState } from './control.ts';
import { DeviceCalls } from './device-calls.ts';
import { Documents } from './documents.ts';
import { Lockout } from './lockout.ts';
import { Presence } from './presence.ts';
import { relayToProvider } from './provider-relay.ts';
import type { Session } from './session.ts';
import { ShellSessions } from './shell-sessions.ts';
import type { RoomStorage } from './storage.ts';
import { TokenWatch } from './token-watch.ts';

export type RoomOptions = {
  storage: RoomStorage;
  clock: Clock;
  random: Random;
  /** `gsv_claim_…`; empty when this room cannot be claimed. */
  claimSecret: string;
};

/** Signals that a kernel may get of its room. */
const KERNEL_SIGNALS = ['device.status', 'doc.ack', 'doc.refused'];

/**
 * One GSV's room: joins its replicas, relays to its drivers, and keeps its documents. The host gives it storage
 * and links, and keeps nothing of its own.
 */
export class Room {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #documents: Documents;
  readonly #claim: Claim;
  readonly #presence: Presence;
  readonly #lockout: Lockout;
  readonly #calls: DeviceCalls;
  readonly #tokens: TokenWatch;
  readonly #connections = new Set<Connection>();
  readonly #drivers = new Map<string, Connection>();

  private constructor(
    { clock, random }: RoomOptions,
    parts: { documents: Documents; claim: Claim; presence: Presence; sessions: ShellSessions },
  ) {
    this.#clock = clock;
    this.#random = random;
    this.#documents = parts.documents;
    this.#claim = parts.claim;
    this.#presence = parts.presence;
    this.#lockout = new Lockout(clock);
    this.#calls = new DeviceCalls({
      ...parts,
      clock,
      control: () => this.#control,
      driver: (deviceId) => this.#drivers.get(deviceId)?.peer,
    });
    this.#tokens = new TokenWatch(clock, (tokenId) => tokenState(this.#control.token(tokenId), clock.now()));
  }

  /** Reads what was stored. Rejects when the storage cannot be read. */
  static async open(options: RoomOptions): Promise<Room> {
    const { storage, clock, claimSecret } = options;
    const changed = { run: (): void => {} };
    const room = new Room(options, {
      documents: await Documents.load(storage, () => changed.run()),
      claim: await Claim.load(storage, claimSecret),
      presence: await Presence.load(storage, clock),
      sessions: await ShellSessions.load(storage, clock),
    });
    changed.run = () => void room.#systemChanged();
    await room.#systemChanged();
    return room;
  }

  get health(): { ok: true; claimed: boolean; version: string } {
    return { ok: true, claimed: this.#claim.claimed, version: GSV_VERSION };
  }

  /** Serves a fresh link until it closes. */
  accept(link: Link): void {
    const connection = new Connection(this.#random.uuid(), link, this.#clock, {
      connect: (self, args) => this.#connect(self, args),
      call: (self, session, call) => this.#call(self, session, call),
      left: (self) => void this.#left(self),
    });
    if (!connection.peer.closed) this.#connections.add(connection);
  }

  /** Answers `POST /relay`; Host and Origin were checked by the host. */
  relay(request: Request, fetcher: typeof fetch): Promise<Response> {
    return relayToProvider(request, this.#control, this.#clock.now(), fetcher);
  }

  get #control(): Control {
    return this.#documents.control;
  }

  async #connect(
    connection: Connection,
    args: Args<'sys.connect'>,
  ): Promise<{ session: Session; result: Result<'sys.connect'> }> {
    const view = { claim: this.#claim, lockout: this.#lockout, presence: this.#presence, clock: this.#clock };
    const session = await authenticate({ ...view, control: () => this.#control }, args);
    if (connection.peer.closed) throw new SyscallError(503, 'The connection is gone');
    await this.#admit(connection, session, args);
    return {
      session,
      result: {
        protocol: PROTOCOL_VERSION,
        server: { version: GSV_VERSION, connectionId: connection.id },
        identity: this.#identity(session),
        syscalls: callable(session, this.#capabilities(session)),
        signals: session.kind === 'kernel' ? KERNEL_SIGNALS : [],
      },
    };
  }

  async #admit(connection: Connection, session: Session, { client }: Args<'sys.connect'>): Promise<void> {
    if (session.tokenId !== null) this.#tokens.watch(session.tokenId, connection.peer);
    if (session.kind === 'driver') await this.#driverConnected(connection, session, client);
    else if (session.kind === 'kernel') await this.#kernelConnected(connection, session);
  }

  async #driverConnected(
    connection: Connection,
    { deviceId, uid, implements: capabilities }: Session & { kind: 'driver' },
    { platform, version }: { platform: string; version: string },
  ): Promise<void> {
    const older = this.#drivers.get(deviceId);
    this.#drivers.set(deviceId, connection);
    older?.peer.close(CLOSE.replaced, 'replaced by a newer connection of this device');
    const ownerGid = this.#control.identity(uid)?.gid ?? uid;
    const device = await this.#presence.connected({
      deviceId,
      ownerUid: uid,
      ownerGid,
      platform,
      version,
      implements: capabilities,
    });
    if (this.#drivers.get(deviceId) === connection) this.#tellKernels({ event: 'connected', device });
  }

  async #kernelConnected(connection: Connection, session: Session & { kind: 'kernel' }): Promise<void> {
    if (session.tokenId === null) {
      this.#closeClaimant(connection, session.replicaId);
      await this.#claim.begin(session.replicaId, () => this.#documents.clear());
    }
    // After the answer to sys.connect, so that the kernel knows who it is before it hears of devices.
    this.#clock.after(0, () => {
      for (const device of this.#presence.all())
        connection.peer.signal('device.status', { event: 'snapshot', device });
    });
  }

  /** The same browser claims again before its older socket was seen to be gone. */
  #closeClaimant(connection: Connection, replicaId: string): void {
    for (const other of this.#connections) {
      const { session } = other;
      if (other === connection || session?.kind !== 'kernel' || session.tokenId !== null) continue;
      if (session.replicaId === replicaId) other.peer.close(CLOSE.replaced, 'replaced by a newer connection');
    }
  }

  async #left(connection: Connection): Promise<void> {
    this.#connections.delete(connection);
    this.#tokens.forget(connection.peer);
    for (const [deviceId, driver] of this.#drivers) {
      if (driver === connection) await this.#driverLeft(deviceId);
    }
    const { session } = connection;
    if (session?.kind === 'kernel' && session.tokenId === null) this.#claim.end(session.replicaId);
  }

  /** Presence in memory changes at once; when it cannot be written, the next start says offline anyway. */
  async #driverLeft(deviceId: string): Promise<void> {
    this.#drivers.delete(deviceId);
    try {
      const device = await this.#presence.disconnected(deviceId);
      if (device && !this.#drivers.has(deviceId)) this.#tellKernels({ event: 'disconnected', device });
    } catch (thrown) {
      console.error(`room: presence of ${deviceId} could not be written: ${String(thrown)}`);
    }
  }

  #tellKernels(payload: unknown): void {
    for (const { session, peer } of this.#connections) {
      if (session?.kind === 'kernel') peer.signal('device.status', payload);
    }
  }

  #call(connection: Connection, session: Session, call: IncomingCall): Promise<Reply> {
    return answer(
      {
        control: this.#control,
        documents: this.#documents,
        presence: this.#presence,
        devices: this.#calls,
        capabilities: this.#capabilities(session),
      },
      connection,
      session,
      call,
    );
  }

  /** Drivers hold no capabilities of their own. */
  #capabilities(session: Session): readonly string[] {
    return session.kind === 'driver' ? [] : this.#control.capabilities(session.uid);
  }

  #identity(session: Session): ConnectionIdentity {
    const process = this.#control.identity(session.uid);
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

  async #systemChanged(): Promise<void> {
    this.#tokens.check();
    if (this.#claim.claimed || this.#claim.claimant === null) return;
    const token = this.#control.replicaToken(this.#claim.claimant, this.#clock.now());
    if (token) await this.#claimed(this.#claim.claimant, token.tokenId);
  }

  /** From now on the claimant stands on its own token, and falls with it. */
  async #claimed(replicaId: string, tokenId: string): Promise<void> {
    await this.#claim.complete();
    for (const { session, peer } of this.#connections) {
      if (session?.kind !== 'kernel' || session.replicaId !== replicaId || session.tokenId !== null) continue;
      session.tokenId = tokenId;
      this.#tokens.watch(tokenId, peer);
    }
  }
}
