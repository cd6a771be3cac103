import type { ProcessRow, SystemTables } from '../../../state/system.ts';
import type { Clock } from '../../../std/clock.ts';
import type { ProcessIdentity } from '../../../syscalls/proc.ts';
import type { ProcessStates } from '../../proc/process-states.ts';
import type { Credentials } from '../credentials.ts';
import { type DirNode, type Tree, treeView } from './tree.ts';
import { jsonFile, textFile, type View } from './view.ts';

export type ProcViewParts = {
  tables: SystemTables;
  processStates: ProcessStates;
  clock: Clock;
  /** Of GSV. */
  version: string;
  /** When the kernel started. */
  startedAt: number;
  /** Undefined when this caller may not read them. */
  conversations?: (row: ProcessRow, caller: Credentials) => DirNode | undefined;
};

/** `/proc`: a directory for every process of the caller (root: of everybody), `self`, `version`, `uptime`. */
export function procView(parts: ProcViewParts): View {
  const { tables, clock, version, startedAt } = parts;
  const uptime = () => textFile(((clock.now() - startedAt) / 1000).toFixed(2));
  return treeView((caller) => ({
    children: () => {
      const visible = tables.processes.rows().filter((row) => row.state !== 'killed' && mayKnow(caller, row));
      const entries = new Map<string, Tree>(visible.map((row) => [row.pid, processDir(parts, row, caller)]));
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

function processDir(
  { tables, processStates, conversations }: ProcViewParts,
  row: ProcessRow,
  caller: Credentials,
): DirNode {
  const dialogues = conversations?.(row, caller);
  const own = { mode: 0o400, uid: row.uid, gid: row.gid };
  const ownDir = { mode: 0o500, uid: row.uid, gid: row.gid };
  const files = new Map(
    row.contextFiles.map(({ name, text }) => [name, { ...own, read: () => textFile(text) }]),
  );
  const children = new Map<string, Tree>([
    ['context.d', { ...ownDir, children: () => files }],
    ...(dialogues ? [['conversations', dialogues] as const] : []),
    ['identity', { ...own, read: () => jsonFile(identityOf(row)) }],
    ['status', { ...own, read: () => textFile(statusOf(tables, processStates.joined(row))) }],
    ['watches', { ...own, read: () => textFile(watchesOf(tables, row)) }],
  ]);
  return { ...ownDir, children: () => children };
}

function identityOf(row: ProcessRow): ProcessIdentity {
  const { uid, gid, gids, username, home, cwd, workspaceId } = row;
  return { uid, gid, gids, username, home, cwd, workspaceId };
}

/** One line of JSON for each watch, oldest first; one that could not be told says why. */
function watchesOf(tables: SystemTables, { pid }: ProcessRow): string {
  const own = tables.watches.rows().filter((row) => row.pid === pid);
  return own
    .sort((a, b) => a.createdAt - b.createdAt)
    .map(({ uid: _uid, pid: _pid, ...watch }) => JSON.stringify(watch))
    .join('\n');
}

function taskOf({ task }: ProcessRow): [string, unknown][] {
  if (!task) return [];
  const limits = [
    `until ${new Date(task.deadlineAt).toISOString()}`,
    ...(task.maxTurns === undefined ? [] : [`${task.maxTurns} turns`]),
    ...(task.maxCost === undefined ? [] : [`$${task.maxCost}`]),
  ];
  return [
    ['Task', task.outcome ?? 'open'],
    ['Limits', limits.join(', ')],
  ];
}

function statusOf(tables: SystemTables, row: ProcessRow): string {
  const children = tables.processes
    .rows()
    .filter(({ parentPid, state }) => parentPid === row.pid && state !== 'killed');
  const calls = tables.ipcCalls.rows().filter(({ sourcePid }) => sourcePid === row.pid);
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
    ['Workspace', row.workspaceId ?? '-'],
    ['Children', children.map(({ pid }) => pid).join(' ') || '-'],
    ['Waits for', calls.map(({ pid }) => pid).join(' ') || '-'],
    ...taskOf(row),
    ['Created', new Date(row.createdAt).toISOString()],
    ['Updated', new Date(row.updatedAt).toISOString()],
  ];
  return fields.map(([name, value]) => `${name}:\t${value}`).join('\n');
}
