import { SyscallError } from '../../protocol/errors.ts';
import type { TokenRow } from '../../state/control.ts';
import type { SystemTables } from '../../state/system.ts';
import type { Args } from '../../syscalls/table.ts';
import { ROOT_UID } from '../auth/accounts.ts';
import { mintToken } from '../auth/tokens.ts';
import type { Documents } from '../documents.ts';
import type { Caller, Handlers } from '../handler.ts';
import type { Space } from '../ports/doc-store.ts';
import { commandSuffix, type PairingParts, pairing } from './device-secrets.ts';

export type TokenParts = PairingParts & {
  tables: SystemTables;
  documents: Pick<Documents, 'stored'>;
  flush(space?: Space): Promise<void>;
};

/** The only role that a token of each kind may take (syscall reference, `sys.token.create`). */
const ROLE_OF_KIND = { node: 'driver', service: 'service', user: 'user' } as const;

export function tokenHandlers(
  parts: TokenParts,
): Handlers<'sys.token.create' | 'sys.token.list' | 'sys.token.revoke'> {
  const { tables, clock, flush } = parts;
  return {
    'sys.token.create': async (args, { caller }) => ({ token: await createToken(parts, caller, args) }),
    'sys.token.list': async ({ uid }, { caller }) => {
      const wanted = scopeOf(caller, uid);
      const rows = tables.tokens.rows().filter((row) => wanted === undefined || row.uid === wanted);
      return { tokens: rows.sort((a, b) => b.createdAt - a.createdAt).map(withoutHash) };
    },
    'sys.token.revoke': async ({ tokenId, reason }, { caller }) => {
      const row = tables.tokens.get(tokenId);
      if (!row || (caller.identity.uid !== ROOT_UID && caller.identity.uid !== row.uid))
        return { revoked: false };
      if (row.revokedAt === null) {
        tables.tokens.patch(tokenId, { revokedAt: clock.now(), revokedReason: reason ?? null });
        await flush('reserve');
      }
      return { revoked: true };
    },
  };
}

async function createToken(parts: TokenParts, caller: Caller, args: Args<'sys.token.create'>) {
  const uid = args.uid ?? caller.identity.uid;
  if (uid !== caller.identity.uid && caller.identity.uid !== ROOT_UID) {
    throw new SyscallError(403, 'Only root makes tokens for others');
  }
  if (!parts.tables.users.get(String(uid))) throw new SyscallError(400, `No such user: ${uid}`);
  const role = ROLE_OF_KIND[args.kind];
  if (args.allowedRole !== undefined && args.allowedRole !== role) {
    throw new SyscallError(400, `A ${args.kind} token takes the role ${role}`);
  }
  if (args.allowedDeviceId !== undefined && args.kind !== 'node') {
    throw new SyscallError(400, 'Only a node token is bound to a device');
  }
  if (args.commands !== undefined && args.kind !== 'user') {
    throw new SyscallError(400, 'Only a user token is for commands');
  }
  const paired = args.kind === 'node' ? pairing(parts, args.allowedDeviceId) : null;
  const suffix = args.commands === undefined ? '' : commandSuffix(parts, caller.identity, args.commands);
  const { row, raw } = await mintToken(
    {
      uid,
      kind: args.kind,
      label: args.label ?? null,
      allowedRole: role,
      allowedDeviceId: args.allowedDeviceId ?? null,
      expiresAt: args.expiresAt ?? null,
    },
    parts.clock.now(),
    parts.random,
  );
  await parts.documents.stored(() => {
    parts.tables.tokens.put(row.tokenId, row);
    paired?.keep();
  });
  return newToken(row, (paired?.pasted(raw) ?? raw) + suffix);
}

/** Undefined for "everybody's", which only root may ask for. */
function scopeOf(caller: Caller, uid: number | undefined): number | undefined {
  if (caller.identity.uid === ROOT_UID) return uid;
  if (uid !== undefined && uid !== caller.identity.uid)
    throw new SyscallError(403, 'Only root lists others’ tokens');
  return caller.identity.uid;
}

function withoutHash({ hash: _hash, ...row }: TokenRow) {
  return row;
}

/** What `sys.token.create` answers: the row without its hash, and the raw value. */
export function newToken(row: TokenRow, raw: string) {
  const { tokenId, tokenPrefix, uid, kind, label, allowedRole, allowedDeviceId, createdAt, expiresAt } = row;
  return {
    tokenId,
    token: raw,
    tokenPrefix,
    uid,
    kind,
    label,
    allowedRole,
    allowedDeviceId,
    createdAt,
    expiresAt,
  };
}
