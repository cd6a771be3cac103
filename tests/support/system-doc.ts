import { createHash } from 'node:crypto';
import * as Y from 'yjs';
import type { TokenRow } from '../../shared/state/control.ts';
import { type SystemDocs, type SystemTables, systemTables } from '../../shared/state/system.ts';

export const ALICE = 1000;
export const BOB = 1001;
export const CAROL = 1002;
/** A group of Alice and Bob. */
export const FRIENDS = 200;
const NOW = 1_700_000_000_000;

type WithTokens = { tokens: Pick<SystemTables['tokens'], 'put' | 'patch'> };

/** Documents without a row. */
export function emptySystem(): SystemDocs {
  return { system: new Y.Doc(), control: new Y.Doc(), epochs: new Y.Doc() };
}

/** The control document as a kernel leaves it, root, three users, the standard groups; and an empty system document. */
export function systemDocuments(): SystemDocs & { tables: SystemTables } {
  const docs = emptySystem();
  const tables = systemTables(docs);
  docs.control.transact(() => {
    putGroups(tables);
    putUser(tables, 0, 'root', []);
    putUser(tables, ALICE, 'alice', [100, FRIENDS]);
    putUser(tables, BOB, 'bob', [100, FRIENDS]);
    putUser(tables, CAROL, 'carol', [300]);
  });
  return { ...docs, tables };
}

/** Adds the token whose raw value is `raw`. */
export function putToken(
  tables: WithTokens,
  raw: string,
  row: Pick<TokenRow, 'uid' | 'kind'> & Partial<TokenRow>,
): void {
  tables.tokens.put(tokenIdOf(raw), {
    tokenId: tokenIdOf(raw),
    hash: createHash('sha256').update(raw).digest('hex'),
    tokenPrefix: raw.slice(0, 16),
    label: null,
    allowedRole: null,
    allowedDeviceId: null,
    createdAt: NOW,
    lastUsedAt: null,
    expiresAt: null,
    revokedAt: null,
    revokedReason: null,
    ...row,
  });
}

export function tokenIdOf(raw: string): string {
  return `id-of-${raw}`;
}

export function revokeToken(tables: WithTokens, raw: string): void {
  tables.tokens.patch(tokenIdOf(raw), { revokedAt: NOW, revokedReason: 'test' });
}

function putGroups(tables: SystemTables): void {
  const groups: [number, string, string[]][] = [
    [0, 'root', ['*']],
    [100, 'users', ['fs.*', 'shell.*', 'sys.device.*', 'proc.*']],
    [101, 'drivers', ['fs.*', 'shell.*']],
    [102, 'services', ['adapter.*']],
    [FRIENDS, 'friends', []],
    [300, 'readers', ['fs.read']],
  ];
  for (const [gid, name, capabilities] of groups)
    tables.groups.put(String(gid), { gid, name, members: [], capabilities });
}

function putUser(tables: SystemTables, uid: number, username: string, gids: number[]): void {
  const home = uid === 0 ? '/root' : `/home/${username}`;
  tables.users.put(String(uid), { uid, username, gid: gids[0] ?? uid, gids, home, createdAt: NOW });
}
