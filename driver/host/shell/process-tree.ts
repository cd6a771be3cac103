import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

type ProcessEntry = { pid: number; parent: number; group: number; session: number };

/** Stands in the environment of a command and of all that it starts, with the name of its session. */
export const COMMAND_MARK = 'GSV_COMMAND';

/**
 * Sends a signal to a command's process group and to every descendant that left the group; given its `mark`, on Linux
 * also to what left its session and its parents. Returns whom it reached: a member that survives its parents can
 * elsewhere only be found again by `known`.
 */
export function signalTree(
  leader: number,
  signal: NodeJS.Signals,
  { mark, known = new Set() }: { mark?: string; known?: ReadonlySet<number> } = {},
): Set<number> {
  const members = processTree(leader, known, mark);
  send(-leader, signal);
  for (const pid of members) send(pid, signal);
  return members;
}

/** Whether any process of the group that `leader` began is alive. */
export function groupAlive(leader: number): boolean {
  return send(-leader, 0);
}

function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    // Gone already, or become another user's; neither is ours to end.
    return false;
  }
}

/** The processes of the leader's group or session, those known before or marked, and the descendants of all. */
function processTree(leader: number, known: ReadonlySet<number>, mark: string | undefined): Set<number> {
  const entries = listProcesses();
  const members = new Set([leader, ...known]);
  for (const { pid, group, session } of entries) {
    const isMember = group === leader || session === leader || (mark !== undefined && isMarked(pid, mark));
    if (isMember) members.add(pid);
  }
  for (let before = 0; before !== members.size; ) {
    before = members.size;
    for (const entry of entries) if (members.has(entry.parent)) members.add(entry.pid);
  }
  return members;
}

/** Only Linux shows what a process was started with. */
function isMarked(pid: number, mark: string): boolean {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`.includes(`\0${COMMAND_MARK}=${mark}\0`);
  } catch {
    return false;
  }
}

function listProcesses(): ProcessEntry[] {
  try {
    return process.platform === 'linux' ? readProc() : readPs();
  } catch {
    // The group itself can still be signalled.
    return [];
  }
}

function readProc(): ProcessEntry[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    const entry = parseStat(name);
    return entry ? [entry] : [];
  });
}

function parseStat(pid: string): ProcessEntry | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command's name, in parentheses, may itself hold spaces and parentheses.
    const [, parent, group, session] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { pid: Number(pid), parent: Number(parent), group: Number(group), session: Number(session) };
  } catch {
    return undefined;
  }
}

function readPs(): ProcessEntry[] {
  const text = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,pgid='], { encoding: 'utf8' });
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const [pid = 0, parent = 0, group = 0] = line.trim().split(/\s+/).map(Number);
      return { pid, parent, group, session: group };
    });
}
