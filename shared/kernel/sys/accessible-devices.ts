import type { DeviceRow } from '../../state/control.ts';
import type { SystemTables } from '../../state/system.ts';
import { canUseDevice, type RoutingCaller } from '../routing.ts';
import type { Keys } from '../seal/keys.ts';

export type DeviceParts = {
  tables: Pick<SystemTables, 'devices' | 'access' | 'deviceKeys'>;
  keys: Pick<Keys, 'keyring'>;
};

/**
 * The devices that an identity may use: its own, those granted to its groups; root all. What they are described as goes
 * to agents: of a sealed GSV it is not taken from where the room could write it.
 */
export function accessibleDevices({ tables, keys }: DeviceParts, identity: RoutingCaller): DeviceRow[] {
  const described = (row: DeviceRow): DeviceRow =>
    keys.keyring ? { ...row, description: tables.deviceKeys.get(row.deviceId)?.description ?? '' } : row;
  return tables.devices
    .rows()
    .filter((device) => canUseDevice(identity, device, tables.access.get(device.deviceId)?.gids ?? []))
    .map(described)
    .sort((a, b) => (a.deviceId < b.deviceId ? -1 : 1));
}
