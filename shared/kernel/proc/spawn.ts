import { DEFAULT_CONVERSATION } from '../../state/conversation-names.ts';
import type { ProcessRow, SystemTables } from '../../state/system.ts';
import type { Clock } from '../../std/clock.ts';
import type { Random } from '../../std/random.ts';
import type { ProcessIdentity } from '../../syscalls/proc.ts';
import type { Args } from '../../syscalls/table.ts';
import type { FileSystem } from '../fs/file-system.ts';
import type { Config } from '../sys/config.ts';
import type { Processes } from './processes.ts';
import { findProfile } from './profiles.ts';
import { workspaceFor } from './workspaces.ts';

export type SpawnParts = {
  tables: SystemTables;
  processes: Processes;
  fs: FileSystem;
  clock: Clock;
  random: Random;
  limits(): SpawnLimits;
};

/**
 * `config/process/max_per_user`, `max_depth` (how many parents a process may have), `max_children` (of one parent) and
 * `max_hops` (messages from process to process, one leading to the next); 0 is no limit.
 */
export type SpawnLimits = { perUser: number; depth: number; children: number; hops: number };

const DEFAULT_DEPTH = 5;
const DEFAULT_CHILDREN = 16;
const DEFAULT_HOPS = 32;

export function spawnLimits(config: Pick<Config, 'resolve'>): SpawnLimits {
  const limit = (name: string, usual: number): number => {
    const value = Number(config.resolve(0, `process/${name}`) ?? usual);
    return Number.isInteger(value) && value >= 0 ? value : usual;
  };
  return {
    perUser: limit('max_per_user', 0),
    depth: limit('max_depth', DEFAULT_DEPTH),
    children: limit('max_children', DEFAULT_CHILDREN),
    hops: limit('max_hops', DEFAULT_HOPS),
  };
}

export type Spawned = { ok: true; row: ProcessRow } | { ok: false; error: string };

export const initPid = (uid: number): string => `init:${uid}`;

/** Registers a process. Its row is queued to disk, not yet flushed. */
export async function spawn(
  parts: SpawnParts,
  identity: ProcessIdentity,
  args: Args<'proc.spawn'>,
  parentPid: string | null,
  pid = parts.random.uuid(),
): Promise<Spawned> {
  const profile = findProfile(args.profile);
  if (!profile) return { ok: false, error: `There is no profile ${args.profile}` };
  if (profile.spawnMode === 'singleton') return { ok: true, row: ensureInit(parts, identity) };
  const refusal = refusalOf(parts, identity.uid, parentPid);
  if (refusal !== null) return { ok: false, error: refusal };
  const place = await workspaceFor(parts, identity, args.workspace, parentPid);
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

/** Processes that a process has made and that are still there. */
export function childrenOf(processes: Processes, parentPid: string): ProcessRow[] {
  return processes.rows().filter((row) => row.parentPid === parentPid);
}

/** Why there may be no further process; null when there may. */
function refusalOf(
  { processes, tables, limits }: SpawnParts,
  uid: number,
  parentPid: string | null,
): string | null {
  const { perUser, depth, children } = limits();
  const count = processes.rows().filter((row) => row.uid === uid).length;
  if (perUser > 0 && count >= perUser) return `The limit of ${perUser} processes is reached`;
  if (parentPid === null) return null;
  if (children > 0 && childrenOf(processes, parentPid).length >= children)
    return `The limit of ${children} child processes is reached: end some with proc kill`;
  if (depth > 0 && parentsOf(tables, parentPid) > depth)
    return `A process may have at most ${depth} processes above it`;
  return null;
}

/** How many there are above a child of this process; those that have ended count, too. */
function parentsOf({ processes }: SpawnParts['tables'], parentPid: string): number {
  const seen = new Set<string>();
  for (let pid: string | null = parentPid; pid !== null && !seen.has(pid); ) {
    seen.add(pid);
    pid = processes.get(pid)?.parentPid ?? null;
  }
  return seen.size;
}

/** The lasting process of a user, made when it is missing. */
export function ensureInit(
  parts: Pick<SpawnParts, 'processes' | 'clock'>,
  identity: ProcessIdentity,
): ProcessRow {
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
