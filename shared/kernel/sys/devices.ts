import type { DeviceRow } from '../../state/control.ts';
import type { SystemTables } from '../../state/system.ts';
import type { ProcessIdentity } from '../../syscalls/proc.ts';
import { ROOT_UID } from '../auth/accounts.ts';
import type { Handlers } from '../handler.ts';
import { canUseDevice } from '../routing.ts';

/** The devices that an identity may use: its own, those granted to its groups; root all. */
export function accessibleDevices(tables: SystemTables, identity: ProcessIdentity): DeviceRow[] {
  return tables.devices
    .rows()
    .filter((device) => canUseDevice(identity, device, tables.access.get(device.deviceId)?.gids ?? []))
    .sort((a, b) => (a.deviceId < b.deviceId ? -1 : 1));
}

export function deviceHandlers(
  tables: SystemTables,
  flush: () => Promise<void>,
): Handlers<'sys.device.list' | 'sys.device.get' | 'sys.device.update'> {
  const find = (identity: ProcessIdentity, deviceId: string): DeviceRow | undefined =>
    accessibleDevices(tables, identity).find((device) => device.deviceId === deviceId);
  return {
    'sys.device.list': async ({ includeOffline = false }, { caller }) => ({
      devices: accessibleDevices(tables, caller.identity)
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
      const updated = tables.devices.patch(deviceId, { description: description.trim() });
      await flush();
      return { device: updated ? detail(updated) : null };
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
