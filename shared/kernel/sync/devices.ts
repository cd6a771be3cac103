import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { DeviceRow } from '../../state/control.ts';
import type { SystemTables } from '../../state/system.ts';
import type { Clock } from '../../std/clock.ts';
import { literals } from '../../syscalls/declare.ts';
import type { RoutingView } from '../routing.ts';
import type { LinkState } from './room-link.ts';

/** A kernel that has just started gives its room this long to answer before a device call is refused. */
const SETTLE_MS = 10_000;

const { description: _description, ...seen } = DeviceRow.properties;
const DeviceStatus = Type.Object({
  event: literals(['connected', 'disconnected', 'snapshot']),
  device: Type.Object(seen),
});

/** What this kernel knows of devices: what its room reports, kept in the `devices` table, and who waits for one. */
export class Devices {
  readonly #tables: SystemTables;
  readonly #clock: Clock;
  readonly #announce: (ownerUid: number, payload: Record<string, unknown>) => void;
  readonly #waiters = new Set<() => void>();
  #link: LinkState['kind'] = 'alone';

  constructor(
    tables: SystemTables,
    clock: Clock,
    announce: (ownerUid: number, payload: Record<string, unknown>) => void,
  ) {
    this.#tables = tables;
    this.#clock = clock;
    this.#announce = announce;
  }

  /** A `device.status` of the room; anything else is dropped. A row is written only when something changed. */
  onStatus(payload: unknown): void {
    if (!Value.Check(DeviceStatus, payload)) return;
    const { event, device } = payload;
    const { devices } = this.#tables;
    const { deviceId } = device;
    if (!devices.patch(deviceId, device)) devices.put(deviceId, { ...device, description: '' });
    if (event !== 'snapshot') this.#announce(device.ownerUid, { event, device: device.deviceId });
    this.#wake();
  }

  /** The link to the room came or went; without it no device can be reached. */
  onLink(link: LinkState['kind']): void {
    this.#link = link;
    this.#wake();
  }

  /** Resolves when the first attempt to reach the room has succeeded or failed; at once when there is none going on. */
  async settled(signal: AbortSignal): Promise<void> {
    await this.#until(() => this.#link !== 'connecting', SETTLE_MS, signal);
  }

  routingView(online: () => boolean): RoutingView {
    return {
      device: (deviceId) => this.#tables.devices.get(deviceId),
      accessGids: (deviceId) => this.#tables.access.get(deviceId)?.gids ?? [],
      connected: () => online(),
      shellSession: (sessionId) => this.#tables.shellSessions.get(sessionId),
    };
  }

  /** Resolves to true when the device can be called, to false after `ms` or when the signal aborts. */
  reachable(deviceId: string, ms: number, signal: AbortSignal): Promise<boolean> {
    return this.#until(() => this.#canCall(deviceId), ms, signal);
  }

  #until(condition: () => boolean, ms: number, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const check = (): void => {
        if (condition()) finish(true);
      };
      const finish = (met: boolean): void => {
        cancel();
        this.#waiters.delete(check);
        signal.removeEventListener('abort', onAbort);
        resolve(met);
      };
      const onAbort = (): void => finish(false);
      const cancel = this.#clock.after(ms, () => finish(false));
      this.#waiters.add(check);
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) finish(false);
      else check();
    });
  }

  #canCall(deviceId: string): boolean {
    return this.#link === 'online' && this.#tables.devices.get(deviceId)?.online === true;
  }

  #wake(): void {
    for (const check of [...this.#waiters]) check();
  }
}
