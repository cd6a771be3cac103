import type * as Y from 'yjs';
import { type SystemTables, systemTables, type TokenRow, type UserRow } from '../../shared/state/system.ts';
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
 * The control tables of the system document, the only rows that the room reads. Answers are of this instant;
 * what is derived is kept until one of the tables changes.
 */
export class Control {
  readonly tables: SystemTables;
  #users: Map<number, UserRow> | null = null;
  readonly #capabilities = new Map<number, readonly string[]>();

  constructor(system: Y.Doc) {
    this.tables = systemTables(system);
    this.tables.users.observe(() => this.#forget());
    this.tables.groups.observe(() => this.#forget());
  }

  /** The row of a raw token, live or not. Takes the same time wherever the token stands. */
  async findToken(raw: string): Promise<TokenRow | undefined> {
    const hash = await sha256Hex(new TextEncoder().encode(raw) as Uint8Array<ArrayBuffer>);
    let found: TokenRow | undefined;
    for (const row of this.tables.tokens.rows()) if (equalsConstantTime(row.hash, hash)) found = row;
    return found;
  }

  token(tokenId: string): TokenRow | undefined {
    return (
      this.tables.tokens.get(tokenId) ?? this.tables.tokens.rows().find((row) => row.tokenId === tokenId)
    );
  }

  /** The live token by which a replica joins, if the document holds one. */
  replicaToken(replicaId: string, now: number): TokenRow | undefined {
    return this.tables.tokens
      .rows()
      .find(
        (row) =>
          isReplicaToken(row) &&
          row.allowedDeviceId === REPLICA + replicaId &&
          tokenState(row, now) === 'live',
      );
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

  #usersByUid(): Map<number, UserRow> {
    this.#users ??= new Map(this.tables.users.rows().map((user) => [user.uid, user]));
    return this.#users;
  }

  #forget(): void {
    this.#users = null;
    this.#capabilities.clear();
  }
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
