import { SyscallError } from '../../protocol/errors.ts';
import type { DeviceRow } from '../../state/control.ts';
import type { SystemTables } from '../../state/system.ts';
import type { ProcessIdentity } from '../../syscalls/proc.ts';
import { ROOT_UID } from '../auth/accounts.ts';
import type { Handlers } from '../handler.ts';
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

export function deviceHandlers(
  parts: DeviceParts & { flush(): Promise<void> },
): Handlers<'sys.device.list' | 'sys.device.get' | 'sys.device.update'> {
  const { tables, keys, flush } = parts;
  const find = (identity: ProcessIdentity, deviceId: string): DeviceRow | undefined =>
    accessibleDevices(parts, identity).find((device) => device.deviceId === deviceId);
  return {
    'sys.device.list': async ({ includeOffline = false }, { caller }) => ({
      devices: accessibleDevices(parts, caller.identity)
        .filter((device) => includeOffline || device.online)
        .map(summary),
    }),
    'sys.device.get': async ({ deviceId }, { caller }) => {
      const device = find(caller.identity, deviceId);
      return { device: device ? detail(device) : null };
    },
    'sys.device.update': async ({ deviceId, description }, { caller }) => {
      const device = find(caller.identity, deviceId);
      if (!device || (caller.identity.uid !== ROOT_UID && caller.identity.uid !== device.ownerUid)) {
        return { device: null };
      }
      const change = { description: description.trim() };
      if (!keys.keyring) tables.devices.patch(deviceId, change);
      else if (!tables.deviceKeys.patch(deviceId, change))
        throw new SyscallError(409, `Pair ${deviceId} again first: it was added before this GSV was sealed`);
      await flush();
      return { device: detail({ ...device, ...change }) };
    },
  };
}

function summary({ deviceId, ownerUid, description, platform, version, online, lastSeenAt }: DeviceRow) {
  return { deviceId, ownerUid, description, platform, version, online, lastSeenAt };
}

function detail(device: DeviceRow) {
  const { firstSeenAt, connectedAt, disconnectedAt } = device;
  return { ...summary(device), implements: device.implements, firstSeenAt, connectedAt, disconnectedAt };
}
