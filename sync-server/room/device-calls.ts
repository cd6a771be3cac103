import { openedSession, type Route, type RoutingView, route } from '../../shared/kernel/routing.ts';
import { SyscallError } from '../../shared/protocol/errors.ts';
import { limits } from '../../shared/protocol/limits.ts';
import type { IncomingCall, Peer, Reply } from '../../shared/protocol/peer.ts';
import type { ByteStream } from '../../shared/protocol/streams.ts';
import type { Clock } from '../../shared/std/clock.ts';
import { checkResult } from '../../shared/syscalls/gate.ts';
import type { Args, Result, SyscallName } from '../../shared/syscalls/table.ts';
import type { Control } from './control.ts';
import type { Presence } from './presence.ts';
import type { Session } from './session.ts';
import type { ShellSessions } from './shell-sessions.ts';

/** What routing reads of the arguments; the rest goes to the device as it is. */
export type DeviceArgs = { target?: string; sessionId?: string };
type SealedReply = { data: Result<'device.call'>; stream?: ByteStream };

/** What device calls need of the room. */
export type DeviceCallsView = {
  control(): Control;
  presence: Presence;
  sessions: ShellSessions;
  clock: Clock;
  /** The live driver of a device. */
  driver(deviceId: string): Peer | undefined;
};

/** Relays permitted calls to drivers: answering one is asking the driver the same on its own link. */
export class DeviceCalls {
  readonly #view: DeviceCallsView;
  readonly #routing: RoutingView;

  constructor(view: DeviceCallsView) {
    this.#view = view;
    this.#routing = {
      device: (deviceId) => view.presence.get(deviceId) ?? knownOffline(view.control(), deviceId),
      accessGids: (deviceId) => view.control().accessGids(deviceId),
      connected: (deviceId) => view.driver(deviceId) !== undefined,
      shellSession: (sessionId) => view.sessions.get(sessionId),
    };
  }

  /** Answers a call whose name, arguments and capability were checked. Throws what routing lists. */
  async call(session: Session, name: SyscallName, args: DeviceArgs, call: IncomingCall): Promise<Reply> {
    const destination = this.#route(session, name, args);
    const driver = destination.kind === 'device' ? this.#view.driver(destination.deviceId) : undefined;
    if (destination.kind !== 'device' || !driver) {
      throw new SyscallError(503, 'No kernel is online; open GSV in a browser', { retryable: true });
    }
    const { target: _target, ...forwarded } = args;
    const key = namespaced(session, call.key);
    const reply = await ask(driver, destination.deviceId, name, forwarded, call, key);
    return this.#checked(session, name, destination.deviceId, reply);
  }

  /**
   * Passes on what was sealed for a device. Whether that device may be asked for it a kernel has checked; of a person,
   * whose call may be any, it is whether they may run commands there.
   */
  async sealed(
    session: Session,
    { deviceId, sealed }: Args<'device.call'>,
    call: IncomingCall,
  ): Promise<SealedReply> {
    if (session.kind !== 'kernel') this.#route(session, 'shell.exec', { target: deviceId });
    const driver = this.#view.driver(deviceId);
    if (!driver) throw new SyscallError(503, `Device offline: ${deviceId}`, { retryable: true });
    const { data, stream } = await ask(
      driver,
      deviceId,
      'device.call',
      { deviceId, sealed },
      call,
      undefined,
    );
    const answer = checkResult('device.call', data) as Result<'device.call'>;
    return stream ? { data: answer, stream } : { data: answer };
  }

  #route(session: Session, name: SyscallName, args: DeviceArgs): Route {
    const gids = session.kind === 'kernel' ? [0] : (this.#view.control().identity(session.uid)?.gids ?? []);
    return route(this.#routing, { uid: session.uid, gids }, name, args, this.#view.clock.now());
  }

  async #checked(session: Session, name: SyscallName, deviceId: string, reply: Reply): Promise<Reply> {
    try {
      const data = checkResult(name, reply.data);
      const sessionId = openedSession(name, data);
      if (sessionId !== undefined) await this.#view.sessions.opened(sessionId, deviceId, session.uid);
      return reply;
    } catch (thrown) {
      void reply.stream?.cancel(thrown).catch(() => {});
      throw thrown;
    }
  }
}

/** A device that only the document knows has never connected to this room. */
function knownOffline(control: Control, deviceId: string) {
  const row = control.tables.devices.get(deviceId);
  return row && { ...row, online: false };
}

async function ask(
  driver: Peer,
  deviceId: string,
  name: SyscallName,
  args: Record<string, unknown>,
  call: IncomingCall,
  key: string | undefined,
): Promise<Reply> {
  try {
    return await driver.call(name, args, {
      timeoutMs: Math.min(call.ttl, limits.deviceRouteMs),
      signal: call.signal,
      onProgress: (text) => call.progress(text),
      ...(key === undefined ? {} : { key }),
      ...(call.stream ? { stream: call.stream } : {}),
    });
  } catch (thrown) {
    if (call.signal.aborted && call.signal.reason instanceof SyscallError) throw call.signal.reason;
    const dropped = driver.closed && thrown instanceof SyscallError && thrown.code === 503;
    if (!dropped) throw thrown;
    // The details say whether the driver may have executed the call.
    throw new SyscallError(503, `Device disconnected: ${deviceId}`, {
      retryable: true,
      details: thrown.details,
    });
  }
}

/** Keys of different callers never meet in a driver's journal. */
function namespaced(session: Session, key: string | undefined): string | undefined {
  if (key === undefined) return undefined;
  const own = session.kind === 'kernel' ? `k:${key}` : `${session.uid}:${key}`;
  if (own.length > limits.idLength) throw new SyscallError(400, 'The key of this call is too long');
  return own;
}
