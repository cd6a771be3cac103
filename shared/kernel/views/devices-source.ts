import type { SystemTables } from '../../state/system.ts';
import type { ViewRow } from '../../syscalls/view-row.ts';
import type { Caller } from '../handler.ts';
import type { Keys } from '../seal/keys.ts';
import { accessibleDevices } from '../sys/accessible-devices.ts';
import { needsPairing } from '../sys/device-secrets.ts';
import type { Status } from '../sys/status.ts';
import { keyed, type Source } from './source.ts';

export type DevicesSourceParts = {
  tables: SystemTables;
  status: Status;
  keys: Keys;
  /** Without its room a kernel reaches no device, whatever was last heard of it. */
  linkOnline(): boolean;
};

/** Devices that the caller can use, and those that have a token of theirs and were never seen. */
export function devicesSource(
  { tables, status, keys, linkOnline }: DevicesSourceParts,
  caller: Caller,
): Source {
  const read = (deviceId: string): ViewRow['value'] | undefined => {
    const row = accessibleDevices({ tables, keys }, caller.identity).find(
      (device) => device.deviceId === deviceId,
    );
    const token = tables.tokens.rows().filter((candidate) => candidate.allowedDeviceId === deviceId);
    const mine = token.some(({ uid }) => uid === caller.identity.uid || caller.identity.uid === 0);
    if (!row && !mine) return undefined;
    const revoked = token.length > 0 && token.every(({ revokedAt }) => revokedAt !== null);
    const device = row ?? neverConnected(deviceId, caller.identity.uid);
    const pairAgain = !revoked && needsPairing({ tables, keys }, deviceId);
    return { ...device, online: device.online === true && linkOnline(), revoked, pairAgain };
  };
  const ids = (): string[] => [...new Set([...tables.devices.keys(), ...boundDevices(tables)])];
  return keyed(ids, read, (changed) => {
    const all = (): void => changed(ids());
    const stops = [tables.devices, tables.tokens, tables.access, tables.deviceKeys].map((table) =>
      table.observe(all),
    );
    stops.push(status.onChange(all), keys.onChange(all));
    return () => {
      for (const stop of stops) stop();
    };
  });
}

function boundDevices(tables: SystemTables): string[] {
  return tables.tokens
    .rows()
    .flatMap(({ kind, allowedDeviceId }) => (kind === 'node' && allowedDeviceId ? [allowedDeviceId] : []));
}

/** How a device looks that has a token and has never been seen. */
function neverConnected(deviceId: string, ownerUid: number): ViewRow['value'] {
  return {
    deviceId,
    ownerUid,
    ownerGid: 0,
    description: '',
    platform: '',
    version: '',
    implements: [],
    online: false,
    firstSeenAt: 0,
    lastSeenAt: 0,
    connectedAt: null,
    disconnectedAt: null,
  };
}
