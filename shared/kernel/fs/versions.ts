/** What a writer had seen: by replica index, the number of that replica's latest change. */
export type Version = Readonly<Record<string, number>>;

const NOTHING: Version = {};

export function stampOf(writer: number, count: number): string {
  return `${writer}:${count}`;
}

/** Whether this version has seen that change. What is older than stamps, everyone has. */
export function covers(version: Version | undefined, stamp: string | undefined): boolean {
  if (stamp === undefined) return true;
  const [writer = '', count] = stamp.split(':');
  return (version?.[writer] ?? 0) >= Number(count);
}

/** Whether `later` has seen everything that `earlier` has, and more. */
export function isAfter(later: Version = NOTHING, earlier: Version = NOTHING): boolean {
  return hasSeen(later, earlier) && !hasSeen(earlier, later);
}

function hasSeen(version: Version, other: Version): boolean {
  return Object.entries(other).every(([writer, count]) => (version[writer] ?? 0) >= count);
}

export function unionOf(versions: Iterable<Version | undefined>): Version {
  const union: Record<string, number> = {};
  for (const version of versions) {
    for (const [writer, count] of Object.entries(version ?? NOTHING)) {
      union[writer] = Math.max(union[writer] ?? 0, count);
    }
  }
  return union;
}
