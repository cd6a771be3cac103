import { messageOf } from '../../shared/protocol/errors.ts';
import type { Peer } from '../../shared/protocol/peer.ts';
import { CLOSE, type Connection } from './connection.ts';
import type { Control } from './control.ts';
import type { Kernels } from './kernels.ts';
import type { Presence } from './presence.ts';
import type { DriverSession } from './session.ts';

export type DriversParts = { control(): Control; presence: Presence; kernels: Kernels };

/** The drivers that are connected, one for each device, and what kernels are told of them. */
export class Drivers {
  readonly #parts: DriversParts;
  readonly #connections = new Map<string, Connection>();

  constructor(parts: DriversParts) {
    this.#parts = parts;
  }

  peer(deviceId: string): Peer | undefined {
    return this.#connections.get(deviceId)?.peer;
  }

  /** A newer connection of a device closes the older one. Rejects when its presence cannot be stored. */
  async connected(
    connection: Connection,
    { deviceId, uid, implements: capabilities }: DriverSession,
    { platform, version }: { platform: string; version: string },
  ): Promise<void> {
    const older = this.#connections.get(deviceId);
    this.#connections.set(deviceId, connection);
    older?.peer.close(CLOSE.replaced, 'replaced by a newer connection of this device');
    const ownerGid = this.#parts.control().identity(uid)?.gid ?? uid;
    const hello = { deviceId, ownerUid: uid, ownerGid, platform, version, implements: capabilities };
    try {
      const device = await this.#parts.presence.connected(hello);
      if (this.#connections.get(deviceId) === connection) this.#tell('connected', device);
    } catch (thrown) {
      if (this.#connections.get(deviceId) === connection) this.#connections.delete(deviceId);
      throw thrown;
    }
  }

  /** Presence in memory changes at once; when it cannot be written, the next start says offline anyway. */
  async left(connection: Connection): Promise<void> {
    const [deviceId] = [...this.#connections].find(([, one]) => one === connection) ?? [];
    if (deviceId === undefined) return;
    this.#connections.delete(deviceId);
    try {
      const device = await this.#parts.presence.disconnected(deviceId);
      if (device && !this.#connections.has(deviceId)) this.#tell('disconnected', device);
    } catch (thrown) {
      console.error(`room: presence of ${deviceId} could not be written: ${messageOf(thrown)}`);
    }
  }

  /** Tells one kernel of every device. */
  introduce(peer: Peer): void {
    for (const device of this.#parts.presence.all())
      peer.signal('device.status', { event: 'snapshot', device });
  }

  #tell(event: 'connected' | 'disconnected', device: unknown): void {
    this.#parts.kernels.tellAll('device.status', { event, device });
  }
}
