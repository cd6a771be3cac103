import { DEFAULT_CONVERSATION } from '../../state/conversation.ts';
import type { ProcessRow, SystemTables } from '../../state/system.ts';
import type { Clock } from '../../std/clock.ts';
import type { Random } from '../../std/random.ts';
import type { ProcessIdentity } from '../../syscalls/proc.ts';
import type { Args } from '../../syscalls/table.ts';
import type { FileSystem } from '../fs/file-system.ts';
import type { Processes } from './processes.ts';
import { findProfile } from './profiles.ts';

export type SpawnParts = {
  tables: SystemTables;
  processes: Processes;
  fs: FileSystem;
  clock: Clock;
  random: Random;
  /** `config/process/max_per_user`; 0 is no limit. */
  maxPerUser(): number;
};

export type Spawned = { ok: true; row: ProcessRow } | { ok: false; error: string };

export const initPid = (uid: number): string => `init:${uid}`;

/** Registers a process. Its row is queued to disk, not yet flushed. */
export async function spawn(
  parts: SpawnParts,
  identity: ProcessIdentity,
  args: Args<'proc.spawn'>,
  parentPid: string | null,
): Promise<Spawned> {
  const profile = findProfile(args.profile);
  if (!profile) return { ok: false, error: `There is no profile ${args.profile}` };
  if (profile.spawnMode === 'singleton') return { ok: true, row: ensureInit(parts, identity) };
  const limit = parts.maxPerUser();
  const count = parts.processes.rows().filter((row) => row.uid === identity.uid).length;
  if (limit > 0 && count >= limit) return { ok: false, error: `The limit of ${limit} processes is reached` };
  const pid = parts.random.uuid();
  const place = await workspaceFor(parts, identity, args, parentPid);
  if ('error' in place) return { ok: false, error: place.error };
  const label = args.label?.trim() || null;
  const contextFiles = args.assignment?.contextFiles ?? [];
  const row = newRow(parts.clock.now(), identity, pid, {
    ...place,
    profile: profile.id,
    parentPid,
    label,
    contextFiles,
  });
  parts.processes.register(row);
  return { ok: true, row };
}

/** The lasting process of a user, made when it is missing. */
export function ensureInit(parts: SpawnParts, identity: ProcessIdentity): ProcessRow {
  const pid = initPid(identity.uid);
  const existing = parts.processes.row(pid);
  if (existing) return existing;
  const place = { cwd: identity.home, workspaceId: null };
  const own = { ...place, profile: 'init', parentPid: null, label: 'Home', contextFiles: [] };
  const row = newRow(parts.clock.now(), identity, pid, own);
  parts.processes.register(row);
  return row;
}

export function newRow(
  now: number,
  identity: ProcessIdentity,
  pid: string,
  own: Pick<ProcessRow, 'cwd' | 'workspaceId' | 'profile' | 'parentPid' | 'label' | 'contextFiles'>,
): ProcessRow {
  const { uid, gid, gids, username, home } = identity;
  return {
    pid,
    uid,
    gid,
    gids,
    username,
    home,
    ...own,
    state: 'idle',
    activity: null,
    conversationId: DEFAULT_CONVERSATION,
    generation: 0,
    queuedCount: 0,
    createdAt: now,
    updatedAt: now,
  };
}

type Place = { cwd: string; workspaceId: string | null } | { error: string };

async function workspaceFor(
  parts: SpawnParts,
  identity: ProcessIdentity,
  { workspace = { mode: 'none' } }: Args<'proc.spawn'>,
  parentPid: string | null,
): Promise<Place> {
  if (workspace.mode === 'none') return { cwd: identity.home, workspaceId: null };
  if (workspace.mode === 'new') return makeWorkspace(parts, identity);
  const parent = parentPid === null ? undefined : parts.processes.row(parentPid);
  const workspaceId = workspace.mode === 'attach' ? workspace.workspaceId : (parent?.workspaceId ?? null);
  if (workspaceId === null) return { cwd: parent?.cwd ?? identity.home, workspaceId: null };
  const cwd = `/workspaces/${workspaceId}`;
  if (!(await canEnter(parts.fs, cwd, identity))) return { error: `There is no workspace ${workspaceId}` };
  return { cwd, workspaceId };
}

/** A foreign workspace is as missing as one that is not there. */
async function canEnter(fs: FileSystem, path: string, identity: ProcessIdentity): Promise<boolean> {
  if (!/^\/workspaces\/[A-Za-z0-9][A-Za-z0-9._-]*$/.test(path)) return false;
  return fs.readdir(path, identity).then(
    () => true,
    () => false,
  );
}

async function makeWorkspace({ fs, random }: SpawnParts, identity: ProcessIdentity): Promise<Place> {
  const workspaceId = random.uuid().slice(0, 8);
  const cwd = `/workspaces/${workspaceId}`;
  const root = { uid: 0, gid: 0, gids: [0], home: '/root', cwd: '/' };
  await fs.mkdir(cwd, root, { recursive: true });
  await fs.chown(cwd, identity, root);
  await fs.chmod(cwd, 0o700, root);
  return { cwd, workspaceId };
}
