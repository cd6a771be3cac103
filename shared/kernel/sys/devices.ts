import type { DeviceRow } from '../../state/control.ts';
import type { ProcessIdentity } from '../../syscalls/proc.ts';
import { ROOT_UID } from '../auth/accounts.ts';
import type { Handlers } from '../handler.ts';
import { accessibleDevices, type DeviceParts } from './accessible-devices.ts';
import { pairFirst } from './device-secrets.ts';

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
      else if (!tables.deviceKeys.patch(deviceId, change)) throw pairFirst(deviceId);
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
