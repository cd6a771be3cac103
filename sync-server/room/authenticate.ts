import { Value } from 'typebox/value';
import { SyscallError } from '../../shared/protocol/errors.ts';
import { PROTOCOL_VERSION } from '../../shared/protocol/version.ts';
import type { TokenRow } from '../../shared/state/control.ts';
import type { Clock } from '../../shared/std/clock.ts';
import { covers } from '../../shared/syscalls/gate.ts';
import { DeviceId } from '../../shared/syscalls/sys.ts';
import type { Args } from '../../shared/syscalls/table.ts';
import type { Admission } from './admission.ts';
import type { Claim } from './claim.ts';
import { allowsRole, type Control, isReplicaToken, tokenState } from './control.ts';
import type { Invites } from './invites.ts';
import type { Lockout } from './lockout.ts';
import type { Presence } from './presence.ts';
import { DRIVER_CAPABILITIES, type KernelSession, type Session } from './session.ts';

type Connect = Args<'sys.connect'>;
type Auth = NonNullable<Connect['auth']>;

/** The name that a replica signs in with. */
const REPLICA_USERNAME = 'root';
const CLAIM_PREFIX = 'gsv_claim_';
const INVITE_PREFIX = 'gsv_invite_';

/** What signing in reads. All of it is the room's own copy; nobody else is asked. */
export type AuthenticationView = {
  control(): Control;
  claim: Claim;
  invites: Invites;
  lockout: Lockout;
  presence: Presence;
  clock: Clock;
};

/** Who a connection is; a replica that has no token yet comes by an admission. */
export type SignedIn =
  | { session: Session; admission: null }
  | { session: KernelSession; admission: Admission };

/** Decides who a connection is. Throws 426, 400, 401, 403, 409, 425 or 429 with a sentence for a person. */
export async function authenticate(view: AuthenticationView, args: Connect): Promise<SignedIn> {
  checkHello(args);
  const { auth } = args;
  if (!auth) throw new SyscallError(401, 'Sign in with a user name and a token');
  const name = lockoutName(args, auth);
  try {
    return await signIn(view, args, auth);
  } catch (thrown) {
    if (thrown instanceof SyscallError && thrown.code === 401) guessed(view.lockout, name);
    throw thrown;
  }
}

/**
 * Asked only of what was wrong: no secret here can be guessed in any number of tries, so who has the right one is not
 * kept out by the failures of others. Throws 429 while the name is locked.
 */
function guessed(lockout: Lockout, name: string): void {
  lockout.check(name);
  lockout.failed(name);
}

/** Whoever guesses claim links and invitations does not lock out those who have a token. */
function lockoutName({ client }: Connect, { username, token = '' }: Auth): string {
  const prefix = [CLAIM_PREFIX, INVITE_PREFIX].find((kind) => token.startsWith(kind));
  return client.role === 'service' && prefix !== undefined ? `${username} ${prefix}` : username;
}

/** The parts that need no secret. */
function checkHello({ protocol, client, driver }: Connect): void {
  if (protocol !== PROTOCOL_VERSION) {
    throw new SyscallError(
      426,
      `This server speaks protocol ${PROTOCOL_VERSION}, not ${protocol}; update the older side`,
    );
  }
  if (client.role === 'driver') checkDriver(client.id, driver?.implements ?? []);
  else if (driver) throw new SyscallError(400, `A connection of role ${client.role} implements nothing`);
  if (client.role === 'service' && client.channel !== 'kernel') {
    throw new SyscallError(400, 'The only service this server knows has the channel "kernel"');
  }
}

function checkDriver(deviceId: string, capabilities: readonly string[]): void {
  if (!Value.Check(DeviceId, deviceId)) {
    throw new SyscallError(400, 'A device id is lower-case letters, digits, dots, dashes and underscores');
  }
  if (capabilities.length === 0) throw new SyscallError(400, 'A driver must say what it implements');
  for (const capability of capabilities) {
    const known = /^[a-z]+(\.[a-z]+)*(\.\*)?$/.test(capability) && covers(DRIVER_CAPABILITIES, capability);
    if (!known) throw new SyscallError(400, `A driver cannot implement "${capability}"`);
  }
}

async function signIn(view: AuthenticationView, args: Connect, auth: Auth): Promise<SignedIn> {
  const { role, id } = args.client;
  if (auth.token === undefined) throw new SyscallError(401, withoutToken(role, auth));
  if (auth.password !== undefined) throw new SyscallError(401, 'Send a token or a password, not both');
  const admission = role === 'service' ? await admissionBy(view, id, auth.token, auth.username) : null;
  if (admission) return { session: { kind: 'kernel', replicaId: id, uid: 0, tokenId: null }, admission };
  if (role !== 'service' && !view.claim.claimed) throw notClaimed();
  // A device is known by its token alone; the name it gives counts only for the lock-out.
  const token = await liveToken(view, auth.token, role === 'driver' ? null : auth.username);
  if (role === 'driver') return { session: driverSession(view, args, token), admission: null };
  if (role === 'user') return { session: userSession(token), admission: null };
  return { session: kernelSession(args, token), admission: null };
}

function withoutToken(role: string, auth: Auth): string {
  if (role === 'user' && auth.password !== undefined) {
    return 'Signing in with a password happens in a browser; use a token here';
  }
  return 'A token is needed';
}

function notClaimed(): SyscallError {
  return new SyscallError(425, 'This server has no owner yet; open its claim link in a browser first', {
    details: { setupMode: true, next: 'sys.setup' },
  });
}

/** Null for a secret that is a token. */
async function admissionBy(
  view: AuthenticationView,
  replicaId: string,
  secret: string,
  username: string,
): Promise<Admission | null> {
  const isClaim = secret.startsWith(CLAIM_PREFIX);
  if (!isClaim && !secret.startsWith(INVITE_PREFIX)) return null;
  if (username !== REPLICA_USERNAME) throw new SyscallError(401, 'A browser comes in as "root"');
  if (isClaim) return view.claim.admit(secret, replicaId);
  if (!view.claim.claimed) throw notClaimed();
  const invite = await view.control().findInvite(secret);
  if (!invite) throw new SyscallError(401, 'This server knows no such invitation or recovery phrase');
  const now = view.clock.now();
  if (view.control().isShutOut(replicaId, now))
    throw new SyscallError(401, 'This browser was shut out of this GSV');
  return view.invites.admit(invite, replicaId, now);
}

async function liveToken(view: AuthenticationView, raw: string, username: string | null): Promise<TokenRow> {
  const control = view.control();
  const token = await control.findToken(raw);
  if (!token || (username !== null && control.identity(token.uid)?.username !== username)) {
    throw new SyscallError(401, 'Unknown user name or token');
  }
  const state = tokenState(token, view.clock.now());
  if (state !== 'live') throw new SyscallError(401, `This token is ${state}`, { details: { token: state } });
  return token;
}

function driverSession(view: AuthenticationView, { client, driver }: Connect, token: TokenRow): Session {
  if (token.kind !== 'node' || !allowsRole(token, 'driver'))
    throw new SyscallError(401, 'This token is not a device token');
  if (token.allowedDeviceId !== null && token.allowedDeviceId !== client.id) {
    throw new SyscallError(
      401,
      `This token belongs to the device "${token.allowedDeviceId}", not "${client.id}"`,
    );
  }
  const owner =
    view.presence.get(client.id)?.ownerUid ?? view.control().tables.devices.get(client.id)?.ownerUid;
  if (owner !== undefined && owner !== token.uid) {
    throw new SyscallError(403, `The device id "${client.id}" belongs to another user`);
  }
  return {
    kind: 'driver',
    uid: token.uid,
    tokenId: token.tokenId,
    deviceId: client.id,
    implements: driver?.implements ?? [],
  };
}

function userSession(token: TokenRow): Session {
  if (token.kind !== 'user' || !allowsRole(token, 'user'))
    throw new SyscallError(401, 'This token is not a user token');
  return { kind: 'user', uid: token.uid, tokenId: token.tokenId };
}

function kernelSession({ client }: Connect, token: TokenRow): Session {
  if (!isReplicaToken(token) || token.allowedDeviceId !== `replica:${client.id}`) {
    throw new SyscallError(401, 'This token does not belong to this browser');
  }
  return { kind: 'kernel', replicaId: client.id, uid: 0, tokenId: token.tokenId };
}
