import type { LiveProcess } from './processes.ts';

/** One visible row of the tree: `level`, `place` and `size` as `aria-level`, `aria-posinset` and `aria-setsize`. */
export type TreeRow = {
  process: LiveProcess;
  level: number;
  place: number;
  size: number;
  /** All below it, the children's children included. */
  below: LiveProcess[];
  open: boolean;
};

/**
 * Processes below those that made them, those of ended parents at the top. The lasting one comes first, then the newest;
 * children stand in the order they were made, so that no row moves while it is looked at. What is below a closed one is
 * left out.
 */
export function treeRows(processes: readonly LiveProcess[], isOpen: (pid: string) => boolean): TreeRow[] {
  const known = new Set(processes.map(({ pid }) => pid));
  const byParent = new Map<string | null, LiveProcess[]>();
  for (const process of processes) {
    const { pid, parentPid } = process;
    const parent = parentPid !== null && parentPid !== pid && known.has(parentPid) ? parentPid : null;
    byParent.set(parent, [...(byParent.get(parent) ?? []), process]);
  }
  const childrenOf = (pid: string | null): LiveProcess[] =>
    [...(byParent.get(pid) ?? [])].sort(pid === null ? topOrder : oldestFirst);
  const belowOf = (pid: string): LiveProcess[] =>
    childrenOf(pid).flatMap((child) => [child, ...belowOf(child.pid)]);
  const rowsOf = (pid: string | null, level: number): TreeRow[] =>
    childrenOf(pid).flatMap((process, at, siblings) => {
      const open = isOpen(process.pid);
      const row = { process, level, place: at + 1, size: siblings.length, below: belowOf(process.pid), open };
      return [row, ...(open ? rowsOf(process.pid, level + 1) : [])];
    });
  return rowsOf(null, 1);
}

const oldestFirst = (a: LiveProcess, b: LiveProcess): number =>
  a.createdAt - b.createdAt || a.pid.localeCompare(b.pid);

function topOrder(a: LiveProcess, b: LiveProcess): number {
  const isInit = (row: LiveProcess): number => (row.profile === 'init' ? 0 : 1);
  return isInit(a) - isInit(b) || -oldestFirst(a, b);
}

export type TreeMove = { focus: string } | { open: string } | { close: string };

/** Where a key leads from a row, as in every tree: up, down, in, out, first, last. Null for other keys. */
export function treeMove(rows: readonly TreeRow[], pid: string, key: string): TreeMove | null {
  const at = rows.findIndex((row) => row.process.pid === pid);
  const row = rows[at];
  if (!row) return null;
  const to = (other: TreeRow | undefined): TreeMove | null => (other ? { focus: other.process.pid } : null);
  if (key === 'ArrowDown') return to(rows[at + 1]);
  if (key === 'ArrowUp') return to(rows[at - 1]);
  if (key === 'Home') return to(rows[0]);
  if (key === 'End') return to(rows.at(-1));
  if (key === 'ArrowRight' && row.below.length > 0) return row.open ? to(rows[at + 1]) : { open: pid };
  if (key !== 'ArrowLeft') return null;
  if (row.open && row.below.length > 0) return { close: pid };
  return to(rows.slice(0, at).findLast((other) => other.level < row.level));
}
