import { SyscallError } from '../../protocol/errors.ts';
import type { SystemTables } from '../../state/system.ts';
import type { Clock } from '../../std/clock.ts';
import type { Random } from '../../std/random.ts';
import type { RoutingCaller } from '../routing.ts';
import type { Keys } from '../seal/keys.ts';
import { DeviceSecret } from '../seal/tunnel/device-secret.ts';
import { accessibleDevices, type DeviceParts } from './accessible-devices.ts';

export type PairingParts = {
  tables: Pick<SystemTables, 'deviceKeys'>;
  keys: Pick<Keys, 'keyring'>;
  clock: Clock;
  random: Random;
};

/** What is pasted on a device beside its token, and what is kept of it here. */
export type NewPairing = { pasted(raw: string): string; keep(): void };

/**
 * In a sealed GSV a device is given a secret that its server never sees; a later one takes its place. Throws 400 when
 * no device is named.
 */
export function pairing(
  { tables, keys, clock, random }: PairingParts,
  deviceId: string | undefined,
): NewPairing {
  if (!keys.keyring) return { pasted: (raw) => raw, keep: () => {} };
  if (deviceId === undefined)
    throw new SyscallError(400, 'This GSV is sealed: say for which device (allowedDeviceId) the token is');
  const { text: secret } = DeviceSecret.make(deviceId, random);
  return {
    pasted: (raw) => `${raw}.${secret}`,
    keep: () => {
      const { description = '' } = tables.deviceKeys.get(deviceId) ?? {};
      tables.deviceKeys.put(deviceId, { deviceId, secret, createdAt: clock.now(), description });
    },
  };
}

/**
 * What a person's token has behind it to command a device that takes nothing in the clear: nothing where its server may
 * read along. Throws 403 when the device is not theirs to use, 409 when it has no secret.
 */
export function commandSuffix(parts: DeviceParts, caller: RoutingCaller, deviceId: string): string {
  if (!accessibleDevices(parts, caller).some((device) => device.deviceId === deviceId))
    throw new SyscallError(403, `Access denied to device: ${deviceId}`);
  if (!parts.keys.keyring) return '';
  const { secret } = parts.tables.deviceKeys.get(deviceId) ?? {};
  if (secret === undefined) throw pairFirst(deviceId);
  return `.${secret}.${deviceId}`;
}

export function pairFirst(deviceId: string): SyscallError {
  return new SyscallError(409, `Pair ${deviceId} again first: it was added before this GSV was sealed`);
}

/** Whether a device has to be paired again before anything is sent to it: it was paired before the GSV was sealed. */
export function needsPairing(
  { tables, keys }: Pick<PairingParts, 'tables' | 'keys'>,
  deviceId: string,
): boolean {
  return keys.keyring !== null && !tables.deviceKeys.get(deviceId);
}
