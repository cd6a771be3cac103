import type { UserRow } from '../../state/control.ts';
import type { SystemTables } from '../../state/system.ts';
import type { ProcessIdentity } from '../../syscalls/proc.ts';

export const ROOT_UID = 0;
export const FIRST_UID = 1000;
export const GROUPS = {
  root: { gid: 0, capabilities: ['*'] },
  users: {
    gid: 100,
    capabilities: [
      'fs.*',
      'shell.*',
      'proc.*',
      'sys.*',
      'ai.*',
      'view.*',
      'notification.*',
      'signal.*',
      'sched.*',
    ],
  },
  drivers: { gid: 101, capabilities: ['fs.*', 'shell.*'] },
  services: { gid: 102, capabilities: ['adapter.*'] },
} as const;

export function identityOf(user: UserRow): ProcessIdentity {
  return {
    uid: user.uid,
    gid: user.gid,
    gids: user.gids,
    username: user.username,
    home: user.home,
    cwd: user.home,
    workspaceId: null,
  };
}

/** What the groups of an identity allow, together. Root may do everything. */
export function capabilitiesOf(
  tables: SystemTables,
  identity: Pick<ProcessIdentity, 'uid' | 'gids'>,
): string[] {
  if (identity.uid === ROOT_UID) return ['*'];
  const granted = tables.groups.rows().filter((group) => identity.gids.includes(group.gid));
  return [...new Set(granted.flatMap((group) => group.capabilities))];
}

export function userByName(tables: SystemTables, username: string): UserRow | undefined {
  return tables.users.rows().find((user) => user.username === username);
}

/**
 * Brings the built-in groups of a GSV that an older kernel made to what this one gives them: they gain what is new and
 * lose what the kernel once gave and gives no more. What else a group may, what a person took from it, and groups of
 * one's own stay as they are.
 */
export function upgradeGroups({ groups }: Pick<SystemTables, 'groups'>): void {
  for (const { gid, capabilities } of Object.values(GROUPS)) {
    const row = groups.get(String(gid));
    if (!row) continue;
    const now: readonly string[] = capabilities;
    const given = row.given ?? [];
    const kept = row.capabilities.filter((known) => now.includes(known) || !given.includes(known));
    const missing = now.filter((known) => !given.includes(known) && !kept.includes(known));
    groups.put(String(gid), { ...row, capabilities: [...kept, ...missing], given: [...now] });
  }
}

/** Writes root, the groups, and the first user. Returns the user's row. */
export function seedAccounts(tables: SystemTables, username: string, now: number): UserRow {
  for (const [name, group] of Object.entries(GROUPS)) {
    const members = name === 'root' ? [ROOT_UID] : name === 'users' ? [FIRST_UID] : [];
    tables.groups.put(String(group.gid), {
      gid: group.gid,
      name,
      members,
      capabilities: [...group.capabilities],
      given: [...group.capabilities],
    });
  }
  tables.users.put('0', {
    uid: ROOT_UID,
    username: 'root',
    gid: 0,
    gids: [0],
    home: '/root',
    createdAt: now,
  });
  const user: UserRow = {
    uid: FIRST_UID,
    username,
    gid: GROUPS.users.gid,
    gids: [GROUPS.users.gid],
    home: `/home/${username}`,
    createdAt: now,
  };
  tables.users.put(String(user.uid), user);
  return user;
}
