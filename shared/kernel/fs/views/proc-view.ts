import type { ProcessRow, SystemTables } from '../../../state/system.ts';
import type { Clock } from '../../../std/clock.ts';
import type { ProcessIdentity } from '../../../syscalls/proc.ts';
import type { Credentials } from '../credentials.ts';
import { type DirNode, type Tree, treeView } from './tree.ts';
import { jsonFile, textFile, type View } from './view.ts';

export type ProcViewParts = { tables: SystemTables; clock: Clock; version: string; startedAt: number };

/** `/proc`: a directory for every process of the caller (root: of everybody), `self`, `version`, `uptime`. */
export function procView({ tables, clock, version, startedAt }: ProcViewParts): View {
  const uptime = () => textFile(((clock.now() - startedAt) / 1000).toFixed(2));
  return treeView((caller) => ({
    children: () => {
      const visible = tables.processes.rows().filter((row) => row.state !== 'killed' && mayKnow(caller, row));
      const entries = new Map<string, Tree>(visible.map((row) => [row.pid, processDir(row)]));
      const self = entries.get(caller.pid ?? `init:${caller.uid}`);
      if (self) entries.set('self', self);
      entries.set('uptime', { read: uptime });
      return entries.set('version', { read: () => textFile(`GSV version ${version}`) });
    },
  }));
}

function mayKnow(caller: Credentials, row: ProcessRow): boolean {
  return caller.uid === 0 || caller.uid === row.uid;
}

function processDir(row: ProcessRow): DirNode {
  const own = { mode: 0o400, uid: row.uid, gid: row.gid };
  const ownDir = { mode: 0o500, uid: row.uid, gid: row.gid };
  const files = new Map(
    row.contextFiles.map(({ name, text }) => [name, { ...own, read: () => textFile(text) }]),
  );
  const children = new Map<string, Tree>([
    ['context.d', { ...ownDir, children: () => files }],
    ['identity', { ...own, read: () => jsonFile(identityOf(row)) }],
    ['status', { ...own, read: () => textFile(statusOf(row)) }],
  ]);
  return { ...ownDir, children: () => children };
}

function identityOf(row: ProcessRow): ProcessIdentity {
  const { uid, gid, gids, username, home, cwd, workspaceId } = row;
  return { uid, gid, gids, username, home, cwd, workspaceId };
}

function statusOf(row: ProcessRow): string {
  const fields: [string, unknown][] = [
    ['Pid', row.pid],
    ['PPid', row.parentPid ?? '-'],
    ['Name', row.label ?? row.profile],
    ['Profile', row.profile],
    ['State', row.state],
    ['Activity', row.activity ?? '-'],
    ['Uid', row.uid],
    ['Gid', row.gid],
    ['Groups', row.gids.join(' ')],
    ['Cwd', row.cwd],
    ['Conversation', row.conversationId],
    ['Queued', row.queuedCount],
    ['Created', new Date(row.createdAt).toISOString()],
    ['Updated', new Date(row.updatedAt).toISOString()],
  ];
  return fields.map(([name, value]) => `${name}:\t${value}`).join('\n');
}
