import { SyscallError } from '../../protocol/errors.ts';
import type { InviteRow } from '../../state/control.ts';
import type { SystemTables } from '../../state/system.ts';
import type { Clock } from '../../std/clock.ts';
import type { Random } from '../../std/random.ts';
import { hashToken } from '../auth/tokens.ts';
import type { Handlers } from '../handler.ts';
import type { Vault } from '../ports/vault.ts';
import { knownLogs } from '../seal/known-logs.ts';
import type { LogPlaces } from '../seal/log-places.ts';
import { InviteSecret } from './invite-secret.ts';
import { demandOwner } from './owner.ts';
import { KNOWN_LOGS, readSharedSecrets } from './shared-secrets.ts';

/** An invitation that nobody has used by then is void. */
const INVITE_MS = 10 * 60_000;

export type InviteParts = {
  tables: SystemTables;
  /** Of those that all browsers need. */
  secrets: Pick<Vault, 'get'>;
  clock: Clock;
  random: Random;
  places: LogPlaces;
  linkOnline(): boolean;
  /** Resolves when the room has stored every change of the system document until now. */
  stored(): Promise<void>;
  flush(): Promise<void>;
};

/**
 * `sys.invite.create`: the row holds a hash of what the newcomer shows to the room, and the shared secrets under a key
 * that only the link has. It answers when the room knows the invitation.
 */
export function inviteHandler(parts: InviteParts): Handlers<'sys.invite.create'> {
  const { tables, clock, random } = parts;
  return {
    'sys.invite.create': async (_args, { caller }) => {
      demandOwner(caller.identity);
      if (!parts.linkOnline()) {
        throw new SyscallError(503, 'The server is needed to add a browser, and it cannot be reached', {
          retryable: true,
        });
      }
      dropOthers(tables, caller.identity.uid, clock.now());
      const secret = InviteSecret.make(random);
      const inviteId = random.uuid();
      const expiresAt = clock.now() + INVITE_MS;
      const row: InviteRow = {
        inviteId,
        hash: await hashToken(await secret.token()),
        sealed: await secret.seal(await secretsFor(parts), inviteId, random),
        uid: caller.identity.uid,
        createdAt: clock.now(),
        expiresAt,
      };
      tables.invites.put(inviteId, row);
      await parts.flush();
      await parts.stored();
      return { inviteId, secret: secret.text, expiresAt };
    },
  };
}

/** What all browsers share, and what of their logs there is. */
async function secretsFor({ tables, secrets, places }: InviteParts): Promise<string> {
  return readSharedSecrets(tables, secrets, { [KNOWN_LOGS]: knownLogs(places) });
}

/** What has expired, and what the same person made before: only the newest link works. */
function dropOthers(tables: SystemTables, uid: number, now: number): void {
  for (const { inviteId, uid: inviter, expiresAt } of tables.invites.rows()) {
    if (expiresAt !== null && (inviter === uid || expiresAt <= now)) tables.invites.delete(inviteId);
  }
}
