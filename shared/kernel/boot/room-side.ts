import { SEAL } from '../../state/control.ts';
import { IN_CLEAR } from '../../state/seal.ts';
import { Founding } from '../backup/founding.ts';
import type { KernelPorts } from '../ports/kernel-ports.ts';
import { forgetKeys } from '../seal/forget-keys.ts';
import { DeviceTunnel } from '../seal/tunnel/device-tunnel.ts';
import { Devices } from '../sync/devices.ts';
import { Membership } from '../sync/membership.ts';
import { RelayPermit } from '../sync/relay-permit.ts';
import { Replicas } from '../sync/replicas.ts';
import { RoomLink } from '../sync/room-link.ts';
import { Status } from '../sys/status.ts';
import type { LocalState } from './local-state.ts';

/** Of a browser that was away, or does not count any more, when its GSV was sealed or got other keys. */
const LACKS_KEYS =
  'This GSV is sealed, and this browser has no key: open another one of your browsers, or add this one anew';

/** The link to the room, and what is known through it. */
export type RoomSide = ReturnType<typeof roomSide>;

/** Nothing is dialled before `room.start`. */
export function roomSide(ports: KernelPorts, state: LocalState) {
  const { clock, random, platform } = ports;
  const { vault, tables, replica, replication, blobs, flush, lock } = state;
  const dialer = new RelayPermit({ dialer: ports.dialer, keys: state.keys, tables });
  const room = new RoomLink({
    ...{ dialer, vault, clock, random, replica, platform },
    attended: () => state.attention.any,
  });
  const devices = new Devices(tables, clock, (uid, payload) =>
    state.broadcast(uid, 'device.status', payload),
  );
  const replicas = new Replicas({ tables, replica, clock, flush, linkOnline: () => room.online });
  /** The server would be told what it is not to read. */
  const lacksKeys = (): boolean => tables.seal.get(SEAL) !== undefined && state.keys.keyring === null;
  const status = new Status({
    tables,
    room,
    problem: () => (lacksKeys() ? LACKS_KEYS : (replication.problem ?? blobs.problem)),
    waiting: () => replication.waiting + blobs.waiting,
    replica,
    lock,
  });
  const tunnel = new DeviceTunnel({
    secretOf: (deviceId) => tables.deviceKeys.get(deviceId)?.secret,
    random,
    callDevice: (deviceId, call, args, options) => room.callDevice(deviceId, call, args, options),
    sealed: () => state.keys.keyring !== null,
  });
  const founding = new Founding();
  const membership = new Membership({
    tables,
    vault,
    clock,
    random,
    room,
    replica,
    platform,
    flush,
    synced: (doc, signal) => replication.synced(doc, signal),
    stored: (doc, signal) => replication.stored([doc], signal),
    founding,
    keys: state.keys,
    places: state.sealedLogs.places,
    shown: state.sealedLogs.shown,
    roomIsWrong: () => replication.faults.list().length > 0,
    exchangeChanged: () => replication.staysChanged(),
  });
  state.sealedLogs.asideWhile(() => membership.following);
  replication.keepHere((name) => !IN_CLEAR.has(name) && (membership.following || lacksKeys()));
  state.keys.onChange(() => replication.staysChanged());
  tables.seal.observe(() => replication.staysChanged());
  const shutOut = async (): Promise<void> => {
    await lock.lock();
    await forgetKeys({ tables, keys: state.keys, self: replica.id });
  };
  const attend = (): void => room.signal('replica.attend', { visible: state.attention.any });
  state.attention.onChange(() => {
    attend();
    if (state.attention.any && room.state.kind === 'offline') room.retryNow();
  });
  room.onChange(() => {
    attend();
    devices.onLink(room.state.kind);
    const isOut = room.state.kind === 'refused' && room.state.revoked && !membership.leaving;
    if (isOut) void shutOut().finally(() => status.changed());
    if (!room.online) replicas.onLinkLost();
    status.changed();
  });
  room.onSignal('device.status', (payload) => devices.onStatus(payload));
  room.onSignal('replica.status', (payload) => replicas.onStatus(payload));
  replication.follow(room, () => status.changed());
  blobs.follow(room, state.fs.blobs, () => status.changed());
  return { room, devices, tunnel, replicas, status, founding, membership };
}
