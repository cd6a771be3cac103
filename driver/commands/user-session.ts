import { SyscallError } from '../../shared/protocol/errors.ts';
import type { Peer } from '../../shared/protocol/peer.ts';
import { deferred } from '../../shared/std/deferred.ts';
import { checkResult } from '../../shared/syscalls/gate.ts';
import type { Args, Result, SyscallName } from '../../shared/syscalls/table.ts';
import { systemClock, systemRandom } from '../host/system.ts';
import { exposureWarning, serverAddress } from '../link/address.ts';
import { dial } from '../link/dial.ts';
import { UsageError } from '../usage.ts';
import { given, type Parsed, required } from './options.ts';
import { deviceSecret, splitToken } from './pairing.ts';
import type { Program } from './program.ts';
import { sealedSession } from './sealed-session.ts';
import { findToken } from './token.ts';

/** The options of every command that a person's token carries. */
export const userOptions = {
  url: { type: 'string' },
  user: { type: 'string' },
  'token-file': { type: 'string' },
} as const;

/** Calls syscalls as a user. Rejects with SyscallError. */
export type UserSession = {
  call<Name extends SyscallName>(name: Name, args: Args<Name>, signal?: AbortSignal): Promise<Result<Name>>;
};

/** Connects as the user that the options name, runs `use`, and hangs up. */
export async function withUserSession<Value>(
  parsed: Parsed,
  program: Program,
  use: (session: UserSession) => Promise<Value>,
): Promise<Value> {
  const address = serverAddress(
    given(parsed, 'url') ?? program.environment.GSV_URL ?? required(parsed, 'url'),
  );
  const username = given(parsed, 'user') ?? program.environment.GSV_USER;
  if (!username) throw new UsageError('--user is missing: the name of the user that the token belongs to');
  const { token, ...pairing } = splitToken(
    await findToken(given(parsed, 'token-file'), program.environment, program),
  );
  const secret = pairing.deviceId === undefined ? null : deviceSecret(pairing.deviceId, pairing);
  const introduction = {
    client: { id: `gsv-${systemRandom.uuid()}`, role: 'user' as const },
    auth: { username, token },
  };
  const closed = deferred<void>();
  program.errors.write(exposureWarning(address) ?? '');
  const { peer } = await dial(address.socketUrl, introduction, systemClock, {
    call: () => Promise.reject(new SyscallError(404, 'A command line answers no calls')),
    signal: () => {},
    closed: () => closed.resolve(),
  });
  try {
    const session = sessionOver(peer);
    return await use(secret ? sealedSession(session, peer, secret) : session);
  } finally {
    peer.close(1000, 'done');
    await closed.promise;
  }
}

function sessionOver(peer: Peer): UserSession {
  return {
    async call<Name extends SyscallName>(
      name: Name,
      args: Args<Name>,
      signal?: AbortSignal,
    ): Promise<Result<Name>> {
      const { data } = await peer.call(name, args, {
        key: systemRandom.uuid(),
        ...(signal ? { signal } : {}),
      });
      return checkResult(name, data) as Result<Name>;
    },
  };
}
