import type * as Y from 'yjs';
import {
  type ControlTables,
  controlTables,
  type InviteRow,
  type TokenRow,
  type UserRow,
} from '../../shared/state/control.ts';
import { equalsConstantTime, sha256Hex } from '../../shared/std/bytes.ts';
import type { ProcessIdentity } from '../../shared/syscalls/proc.ts';

const ROOT: ProcessIdentity = {
  uid: 0,
  gid: 0,
  gids: [0],
  username: 'root',
  home: '/root',
  cwd: '/root',
  workspaceId: null,
};
const REPLICA = 'replica:';

/** Whether a token may be used at `now`; if not, why. */
export type TokenState = 'live' | 'revoked' | 'expired';

/**
 * The control document, which is all that the room reads. Answers are of this instant;
 * what is derived is kept until one of the tables changes.
 */
export class Control {
  readonly tables: ControlTables;
  #users: Map<number, UserRow> | null = null;
  readonly #capabilities = new Map<number, readonly string[]>();

  constructor(control: Y.Doc) {
    this.tables = controlTables(control);
    this.tables.users.observe(() => this.#forget());
    this.tables.groups.observe(() => this.#forget());
  }

  /** The row of a raw token, live or not. Takes the same time wherever the token stands. */
  findToken(raw: string): Promise<TokenRow | undefined> {
    return findByHash(raw, this.tables.tokens.rows());
  }

  /** The row of an invitation by what its newcomer shows, run out or not. */
  findInvite(raw: string): Promise<InviteRow | undefined> {
    return findByHash(raw, this.tables.invites.rows());
  }

  token(tokenId: string): TokenRow | undefined {
    return (
      this.tables.tokens.get(tokenId) ?? this.tables.tokens.rows().find((row) => row.tokenId === tokenId)
    );
  }

  /** The live token by which a replica joins, if the document holds one. */
  replicaToken(replicaId: string, now: number): TokenRow | undefined {
    return this.#replicaTokens(replicaId).find((row) => tokenState(row, now) === 'live');
  }

  /** Whether a replica was shut out: it has had tokens, and none is live. */
  isShutOut(replicaId: string, now: number): boolean {
    const revoked = (this.tables.replicas.get(replicaId)?.revokedAt ?? null) !== null;
    const tokens = this.#replicaTokens(replicaId);
    return revoked || (tokens.length > 0 && tokens.every((row) => tokenState(row, now) !== 'live'));
  }

  identity(uid: number): ProcessIdentity | undefined {
    const user = this.#usersByUid().get(uid);
    if (!user) return uid === 0 ? ROOT : undefined;
    const { gid, gids, username, home } = user;
    return { uid, gid, gids: [...new Set([gid, ...gids])], username, home, cwd: home, workspaceId: null };
  }

  /** What the groups of a user allow, together; root may do everything. */
  capabilities(uid: number): readonly string[] {
    if (uid === 0) return ['*'];
    const kept = this.#capabilities.get(uid);
    if (kept) return kept;
    const gids = this.identity(uid)?.gids ?? [];
    const groups = this.tables.groups.rows().filter((group) => gids.includes(group.gid));
    const capabilities = [...new Set(groups.flatMap((group) => group.capabilities))];
    this.#capabilities.set(uid, capabilities);
    return capabilities;
  }

  accessGids(deviceId: string): readonly number[] {
    return this.tables.access.get(deviceId)?.gids ?? [];
  }

  #replicaTokens(replicaId: string): TokenRow[] {
    return this.tables.tokens
      .rows()
      .filter((row) => isReplicaToken(row) && row.allowedDeviceId === REPLICA + replicaId);
  }

  #usersByUid(): Map<number, UserRow> {
    this.#users ??= new Map(this.tables.users.rows().map((user) => [user.uid, user]));
    return this.#users;
  }

  #forget(): void {
    this.#users = null;
    this.#capabilities.clear();
  }
}

async function findByHash<Row extends { hash: string }>(
  raw: string,
  rows: readonly Row[],
): Promise<Row | undefined> {
  const hash = await sha256Hex(new TextEncoder().encode(raw) as Uint8Array<ArrayBuffer>);
  let found: Row | undefined;
  for (const row of rows) if (equalsConstantTime(row.hash, hash)) found = row;
  return found;
}

export function tokenState(row: TokenRow | undefined, now: number): TokenState {
  if (!row || row.revokedAt !== null) return 'revoked';
  return row.expiresAt !== null && row.expiresAt <= now ? 'expired' : 'live';
}

/** Whether a token is one by which a kernel joins its room. */
export function isReplicaToken(row: TokenRow): boolean {
  const boundToReplica = row.allowedDeviceId?.startsWith(REPLICA) === true;
  return row.kind === 'service' && row.uid === 0 && boundToReplica && allowsRole(row, 'service');
}

export function allowsRole(row: TokenRow, role: 'user' | 'driver' | 'service'): boolean {
  return row.allowedRole === null || row.allowedRole === role;
}
