import { SyscallError } from '../../protocol/errors.ts';
import type { UserRow } from '../../state/control.ts';
import type { SystemTables } from '../../state/system.ts';
import type { Clock } from '../../std/clock.ts';
import type { ConnectionIdentity } from '../../syscalls/sys.ts';
import type { Args } from '../../syscalls/table.ts';
import { capabilitiesOf, identityOf, userByName } from './accounts.ts';
import type { Lockout } from './lockout.ts';
import type { Passwords } from './passwords.ts';
import { findToken } from './tokens.ts';

export type AuthenticateParts = {
  tables: SystemTables;
  passwords: Passwords;
  clock: Clock;
  lockout: Lockout;
  /** This browser was shut out: tokens that lie in it open nothing, only a password does (DESIGN 7). */
  locked(): boolean;
};
/** The token that was shown, if it was one. `expiresAt` in milliseconds since the epoch. */
type Verified = { tokenId: string | null; expiresAt: number | null };
export type Authenticated = { identity: ConnectionIdentity } & Verified;

/**
 * Who a page is, by password or token. Throws 400 for a role that does not connect here, 401 when the name and secret
 * do not fit, 429 after too many failures.
 */
export async function authenticate(
  parts: AuthenticateParts,
  args: Args<'sys.connect'>,
): Promise<Authenticated> {
  const { auth, client } = args;
  if (client.role !== 'user')
    throw new SyscallError(400, `The role ${client.role} connects to the room, not to a kernel`);
  if (!auth) throw new SyscallError(401, 'Sign in first');
  if (auth.token !== undefined && auth.password !== undefined) {
    throw new SyscallError(400, 'Give a password or a token, not both');
  }
  const user = userByName(parts.tables, auth.username);
  const verified = await parts.lockout.attempt(auth.username, async () =>
    user ? verify(parts, user, auth) : undefined,
  );
  if (!user || !verified) throw new SyscallError(401, 'The name and password do not fit');
  const process = identityOf(user);
  const identity = { role: 'user' as const, process, capabilities: capabilitiesOf(parts.tables, process) };
  return { identity, ...verified };
}

/** `lastUsedAt` is this exact, so that a reload is not a write. */
const LAST_USED_MS = 60 * 60 * 1000;

type Secret = NonNullable<Args<'sys.connect'>['auth']>;

async function verify(
  parts: AuthenticateParts,
  user: UserRow,
  secret: Secret,
): Promise<Verified | undefined> {
  if (secret.token !== undefined) {
    if (parts.locked()) return undefined;
    const now = parts.clock.now();
    const row = await findToken(parts.tables.tokens, secret.token, now);
    if (row && now - (row.lastUsedAt ?? 0) > LAST_USED_MS) {
      parts.tables.tokens.patch(row.tokenId, { lastUsedAt: now });
    }
    return row?.kind === 'user' && row.uid === user.uid
      ? { tokenId: row.tokenId, expiresAt: row.expiresAt }
      : undefined;
  }
  const fits = secret.password !== undefined && (await parts.passwords.fits(user.uid, secret.password));
  return fits ? { tokenId: null, expiresAt: null } : undefined;
}
