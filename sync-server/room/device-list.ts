import { canUseDevice, type RoutingCaller } from '../../shared/kernel/routing.ts';
import type { Result } from '../../shared/syscalls/table.ts';
import type { Control } from './control.ts';
import type { DevicePresence, Presence } from './presence.ts';

type Listed = Result<'sys.device.list'>['devices'][number];
type Detail = NonNullable<Result<'sys.device.get'>['device']>;
type Known = DevicePresence & { description: string };

/** Answers `sys.device.list` from presence and the document, when no kernel is there to do it. */
export function listDevices(
  control: Control,
  presence: Presence,
  caller: RoutingCaller,
  includeOffline: boolean,
): Listed[] {
  return known(control, presence)
    .filter((device) => canUseDevice(caller, device, control.accessGids(device.deviceId)))
    .filter((device) => includeOffline || device.online)
    .map(listed);
}

/** Answers `sys.device.get`; null for a device that is not the caller's to see. */
export function describeDevice(
  control: Control,
  presence: Presence,
  caller: RoutingCaller,
  deviceId: string,
): Detail | null {
  const device = known(control, presence).find((one) => one.deviceId === deviceId);
  if (!device || !canUseDevice(caller, device, control.accessGids(deviceId))) return null;
  const { implements: capabilities, firstSeenAt, connectedAt, disconnectedAt } = device;
  return { ...listed(device), implements: capabilities, firstSeenAt, connectedAt, disconnectedAt };
}

function known(control: Control, presence: Presence): Known[] {
  const rows = new Map<string, Known>();
  for (const row of control.tables.devices.rows()) rows.set(row.deviceId, { ...row, online: false });
  for (const device of presence.all()) {
    rows.set(device.deviceId, { ...device, description: rows.get(device.deviceId)?.description ?? '' });
  }
  return [...rows.values()].sort((a, b) => (a.deviceId < b.deviceId ? -1 : 1));
}

function listed({ deviceId, ownerUid, description, platform, version, online, lastSeenAt }: Known): Listed {
  return { deviceId, ownerUid, description, platform, version, online, lastSeenAt };
}
