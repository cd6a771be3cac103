import { SyscallError } from '../../protocol/errors.ts';
import type { ProcessRow, SystemTables, WorkspaceRow } from '../../state/system.ts';
import type { Clock } from '../../std/clock.ts';
import type { Random } from '../../std/random.ts';
import type { ProcessIdentity } from '../../syscalls/proc.ts';
import type { Args, Result } from '../../syscalls/table.ts';
import { ROOT_UID } from '../auth/accounts.ts';
import { ROOT } from '../fs/credentials.ts';
import type { FileSystem } from '../fs/file-system.ts';
import type { Handlers } from '../handler.ts';

export type WorkspaceParts = {
  tables: Pick<SystemTables, 'workspaces' | 'processes'>;
  fs: FileSystem;
  clock: Clock;
  random: Random;
};

/** Where a process works. */
export type Place = { cwd: string; workspaceId: string | null } | { error: string };
type Wanted = NonNullable<Args<'proc.spawn'>['workspace']>;
type Listed = Result<'sys.workspace.list'>['workspaces'][number];

const DIRECTORY = '/workspaces';
const MOST = 500;

/** The workspace that a process is spawned with; one that is new is queued to disk. */
export async function workspaceFor(
  parts: WorkspaceParts,
  identity: ProcessIdentity,
  wanted: Wanted = { mode: 'none' },
  parentPid: string | null = null,
): Promise<Place> {
  if (wanted.mode === 'none') return { cwd: identity.home, workspaceId: null };
  if (wanted.mode === 'new') return makeWorkspace(parts, identity, wanted);
  const parent = parentPid === null ? undefined : parts.tables.processes.get(parentPid);
  const workspaceId = wanted.mode === 'attach' ? wanted.workspaceId : (parent?.workspaceId ?? null);
  if (workspaceId === null) return { cwd: parent?.cwd ?? identity.home, workspaceId: null };
  const cwd = `${DIRECTORY}/${workspaceId}`;
  if (!(await canEnter(parts.fs, cwd, identity))) return { error: `There is no workspace ${workspaceId}` };
  parts.tables.workspaces.patch(workspaceId, { updatedAt: parts.clock.now() });
  return { cwd, workspaceId };
}

/** `sys.workspace.list`: what there is below `/workspaces`, with what is known of it. */
export function workspaceHandler(parts: WorkspaceParts): Handlers<'sys.workspace.list'> {
  return {
    'sys.workspace.list': async ({ uid, kind, state, limit = MOST }, { caller }) => {
      const own = caller.identity.uid;
      if (uid !== undefined && uid !== own && own !== ROOT_UID)
        throw new SyscallError(403, 'Permission denied');
      const rows = await known(parts);
      const workspaces = rows
        .filter((row) => row.ownerUid === (uid ?? own))
        .filter((row) => (kind ?? row.kind) === row.kind && (state ?? row.state) === row.state)
        .sort((a, b) => b.updatedAt - a.updatedAt)
        .slice(0, limit);
      return { workspaces: workspaces.map((row) => listed(row, parts.tables)) };
    },
  };
}

/** Directories without a row are workspaces, too: older than the rows, or made by hand. */
async function known({ tables, fs }: WorkspaceParts): Promise<WorkspaceRow[]> {
  const entries = await fs.readdir(DIRECTORY, ROOT).catch(() => []);
  const rows = entries
    .filter((entry) => entry.kind === 'dir')
    .map(async ({ name }): Promise<WorkspaceRow | null> => {
      const row = tables.workspaces.get(name);
      if (row) return row;
      const stat = await fs.stat(`${DIRECTORY}/${name}`, ROOT).catch(() => null);
      if (!stat) return null;
      const times = { createdAt: stat.mtime, updatedAt: stat.mtime };
      return {
        workspaceId: name,
        ownerUid: stat.uid,
        label: null,
        kind: 'thread',
        state: 'active',
        ...times,
      };
    });
  return (await Promise.all(rows)).filter((row) => row !== null);
}

/** `updatedAt` counts what its processes did. History is not kept of it, so it has no commit. */
function listed(row: WorkspaceRow, { processes }: WorkspaceParts['tables']): Listed {
  const inside = processes
    .rows()
    .filter(({ workspaceId, state }) => workspaceId === row.workspaceId && state !== 'killed')
    .sort((a, b) => b.updatedAt - a.updatedAt);
  const updatedAt = Math.max(row.updatedAt, ...inside.map((process) => process.updatedAt));
  return {
    ...row,
    updatedAt,
    defaultBranch: 'main',
    headCommit: null,
    activeProcess: inside[0] ? described(inside[0]) : null,
    processCount: inside.length,
  };
}

function described({ pid, label, cwd, createdAt }: ProcessRow): NonNullable<Listed['activeProcess']> {
  return { pid, label, cwd, createdAt };
}

/** A foreign workspace is as missing as one that is not there. */
async function canEnter(fs: FileSystem, path: string, identity: ProcessIdentity): Promise<boolean> {
  if (!/^\/workspaces\/[A-Za-z0-9][A-Za-z0-9._-]*$/.test(path)) return false;
  return fs.readdir(path, identity).then(
    () => true,
    () => false,
  );
}

async function makeWorkspace(
  { tables, fs, random, clock }: WorkspaceParts,
  identity: ProcessIdentity,
  { label, kind = 'thread' }: Extract<Wanted, { mode: 'new' }>,
): Promise<Place> {
  const workspaceId = random.uuid().slice(0, 8);
  const cwd = `${DIRECTORY}/${workspaceId}`;
  await fs.mkdir(cwd, ROOT, { recursive: true });
  await fs.chown(cwd, identity, ROOT);
  await fs.chmod(cwd, 0o700, ROOT);
  const now = clock.now();
  const about = { label: label?.trim() || null, kind, state: 'active' as const };
  const row = { workspaceId, ownerUid: identity.uid, ...about, createdAt: now, updatedAt: now };
  tables.workspaces.put(workspaceId, row);
  return { cwd, workspaceId };
}
