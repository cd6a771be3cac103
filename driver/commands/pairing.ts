import { DeviceSecret } from '../../shared/kernel/seal/tunnel/device-secret.ts';
import { UsageError } from '../usage.ts';

/** What a person pastes: what the server is shown, and what it never sees. `deviceId`: whose secret it is, if it says so. */
export type Pairing = { token: string; secret: string | undefined; deviceId: string | undefined };

export function splitToken(pasted: string): Pairing {
  const [token = '', secret, ...id] = pasted.split('.');
  return { token, secret, deviceId: id.length === 0 ? undefined : id.join('.') };
}

/** The secret of a device, if it was paired with one. Throws UsageError on one that is cut short. */
export function deviceSecret(deviceId: string, { secret }: Pick<Pairing, 'secret'>): DeviceSecret | null {
  if (secret === undefined) return null;
  const parsed = DeviceSecret.parse(deviceId, secret);
  if (!parsed) throw new UsageError('The token is cut short: paste it whole, as it was shown');
  return parsed;
}
