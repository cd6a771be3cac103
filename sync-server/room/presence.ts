import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Clock } from '../../shared/std/clock.ts';
import { nullable } from '../../shared/syscalls/declare.ts';
import type { RoomStorage } from './storage.ts';

const PREFIX = 'device/';
const Time = Type.Integer({ minimum: 0 });

/** What the room knows of a device by itself; the description is the kernel's. Times in milliseconds. */
export const DevicePresence = Type.Object({
  deviceId: Type.String(),
  ownerUid: Type.Integer(),
  ownerGid: Type.Integer(),
  platform: Type.String(),
  version: Type.String(),
  implements: Type.Array(Type.String()),
  online: Type.Boolean(),
  firstSeenAt: Time,
  lastSeenAt: Time,
  connectedAt: nullable(Time),
  disconnectedAt: nullable(Time),
});
export type DevicePresence = Static<typeof DevicePresence>;

/** What a driver says of itself when it connects. */
export type DeviceHello = Pick<
  DevicePresence,
  'deviceId' | 'ownerUid' | 'ownerGid' | 'platform' | 'version' | 'implements'
>;

/** Presence of devices, kept in the room's storage. After a restart every device is offline until it connects. */
export class Presence {
  readonly #storage: RoomStorage;
  readonly #clock: Clock;
  readonly #devices: Map<string, DevicePresence>;

  private constructor(storage: RoomStorage, clock: Clock, devices: Map<string, DevicePresence>) {
    this.#storage = storage;
    this.#clock = clock;
    this.#devices = devices;
  }

  static async load(storage: RoomStorage, clock: Clock): Promise<Presence> {
    const devices = new Map<string, DevicePresence>();
    for (const [, stored] of await storage.list(PREFIX)) {
      if (Value.Check(DevicePresence, stored))
        devices.set(stored.deviceId, offlineSince(stored, stored.lastSeenAt));
    }
    return new Presence(storage, clock, devices);
  }

  get(deviceId: string): DevicePresence | undefined {
    return this.#devices.get(deviceId);
  }

  all(): DevicePresence[] {
    return [...this.#devices.values()];
  }

  async connected(hello: DeviceHello): Promise<DevicePresence> {
    const now = this.#clock.now();
    const known = this.#devices.get(hello.deviceId);
    return this.#keep({
      ...hello,
      online: true,
      firstSeenAt: known?.firstSeenAt ?? now,
      lastSeenAt: now,
      connectedAt: now,
      disconnectedAt: known?.disconnectedAt ?? null,
    });
  }

  /** Undefined for a device that is not known. */
  async disconnected(deviceId: string): Promise<DevicePresence | undefined> {
    const known = this.#devices.get(deviceId);
    if (!known) return undefined;
    const now = this.#clock.now();
    return this.#keep({ ...known, online: false, lastSeenAt: now, disconnectedAt: now });
  }

  /** Takes effect at once; the promise settles when it is written. */
  async #keep(device: DevicePresence): Promise<DevicePresence> {
    this.#devices.set(device.deviceId, device);
    await this.#storage.put(PREFIX + device.deviceId, device);
    return device;
  }
}

function offlineSince(device: DevicePresence, at: number): DevicePresence {
  return device.online ? { ...device, online: false, disconnectedAt: at } : device;
}
