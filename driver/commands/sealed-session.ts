import type { DeviceSecret } from '../../shared/kernel/seal/tunnel/device-secret.ts';
import { DeviceTunnel } from '../../shared/kernel/seal/tunnel/device-tunnel.ts';
import { limits } from '../../shared/protocol/limits.ts';
import type { Peer } from '../../shared/protocol/peer.ts';
import { checkResult } from '../../shared/syscalls/gate.ts';
import { type Args, type Result, type SyscallName, table } from '../../shared/syscalls/table.ts';
import { systemRandom } from '../host/system.ts';
import { UsageError } from '../usage.ts';
import type { UserSession } from './user-session.ts';

/** What goes to the device of this secret, its server passes on without reading it; the rest it answers itself. */
export function sealedSession(session: UserSession, peer: Peer, secret: DeviceSecret): UserSession {
  const { deviceId } = secret;
  const tunnel = new DeviceTunnel({
    secretOf: () => secret.text,
    random: systemRandom,
    sealed: () => true,
    callDevice: async (_deviceId, call, args, { signal, timeoutMs }) => {
      const { data, stream } = await peer.call(call, args, { signal, timeoutMs });
      return { data, stream };
    },
  });
  return {
    async call<Name extends SyscallName>(
      name: Name,
      args: Args<Name>,
      signal = new AbortController().signal,
    ): Promise<Result<Name>> {
      if (!table[name].routable) return session.call(name, args, signal);
      const { target = deviceId, ...forwarded } = args as { target?: string };
      if (target !== deviceId)
        throw new UsageError(`This token commands ${deviceId}; make one for ${target} in Settings, Tokens`);
      const options = { key: systemRandom.uuid(), signal, timeoutMs: limits.deviceRouteMs };
      const { data } = await tunnel.call(deviceId, name, forwarded, options);
      return checkResult(name, data) as Result<Name>;
    },
  };
}
