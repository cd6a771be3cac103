import type { Aspect, InodeRow } from './inode-row.ts';
import { covers, isAfter, unionOf } from './versions.ts';

/**
 * `row` is what an inode is, given all that replicas wrote of it. `apart` holds, newest first, rows whose contents were
 * written apart from those of `row` and are in no other row: whoever sees them keeps each as a file of its own.
 */
export type Merged = { row: InodeRow; apart: InodeRow[] };

/**
 * Merges the rows of one inode (at least one). The outcome depends on nothing but the rows. Each aspect is taken from
 * whoever changed it last; changes of one aspect made apart go to the row with the newer mtime.
 */
export function mergeRows(first: InodeRow, ...others: InodeRow[]): Merged {
  if (others.length === 0) return { row: first, apart: [] };
  const all = [first, ...others].sort(newestFirst);
  const live = all.filter((row) => !all.some((other) => isAfter(other.version, row.version)));
  const [contents, ...rest] = latest(live, 'contents');
  const [place] = latest(live, 'place');
  const [access] = latest(live, 'access');
  if (!contents || !place || !access) return { row: first, apart: [] };
  const same = live.filter((row) => sameContents(row, contents));
  const row: InodeRow = {
    ...contents,
    parent: place.parent,
    name: place.name,
    mode: access.mode,
    uid: access.uid,
    gid: access.gid,
    mtime: Math.max(...same.map(({ mtime }) => mtime)),
    version: unionOf(all.map(({ version }) => version)),
    stamps: {
      ...stamped('contents', contents),
      ...stamped('place', place),
      ...stamped('access', access),
    },
  };
  return {
    row,
    apart: firstOfEach(
      rest.filter((other) => !sameContents(other, contents)),
      contentsKey,
    ),
  };
}

export function sameContents(a: InodeRow, b: InodeRow): boolean {
  return a.kind === b.kind && a.target === b.target && contentsKey(a) === contentsKey(b);
}

/** Text that two rows share exactly when their contents are the same. */
export function contentsKey(row: InodeRow): string {
  return JSON.stringify([row.kind, row.content ?? null, row.target ?? null]);
}

/** One row for each latest change of this aspect, in the order of `rows`. */
function latest(rows: readonly InodeRow[], aspect: Aspect): InodeRow[] {
  const changes = firstOfEach(rows, (row) => row.stamps?.[aspect]);
  const last = changes.filter((row) => !changes.some((other) => replaced(row, other, aspect)));
  return last.length > 0 ? last : changes;
}

/** Whether the writer of `by` had seen this aspect of `row` and given it another value. */
function replaced(row: InodeRow, by: InodeRow, aspect: Aspect): boolean {
  const [mine, theirs] = [row.stamps?.[aspect], by.stamps?.[aspect]];
  return mine !== theirs && covers(by.version, mine) && !covers(row.version, theirs);
}

function stamped(aspect: Aspect, { stamps }: InodeRow): InodeRow['stamps'] {
  const stamp = stamps?.[aspect];
  return stamp === undefined ? {} : { [aspect]: stamp };
}

function firstOfEach(rows: readonly InodeRow[], keyOf: (row: InodeRow) => string | undefined): InodeRow[] {
  const keys = rows.map(keyOf);
  return rows.filter((_, at) => keys.indexOf(keys[at]) === at);
}

/**
 * A total order of stored rows, so that every replica chooses alike. Equal times go by the change that made the contents:
 * unlike the version it is the same in every row that has them, whatever else its writer had merged.
 */
function newestFirst(a: InodeRow, b: InodeRow): number {
  return b.mtime - a.mtime || (orderKey(a) < orderKey(b) ? -1 : 1);
}

function orderKey(row: InodeRow): string {
  return JSON.stringify([row.stamps?.contents ?? '', row.version ?? {}, row]);
}
