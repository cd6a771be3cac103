import type { Documents, Picture, View } from './picture.ts';

/** All replicas show the same, and the room holds what they hold. */
export function replicasEqual({ views, stored }: Picture): string[] {
  return [...viewsDiffer(views), ...documentsDiffer(stored)];
}

function viewsDiffer([first, ...others]: readonly View[]): string[] {
  if (!first) return [];
  return others.flatMap((other) => [
    ...differences(first, other, 'history of', mapped(first.histories), mapped(other.histories)),
    ...differences(first, other, 'queue of', mapped(first.queued), mapped(other.queued)),
    ...differences(first, other, 'file', first.files, other.files),
  ]);
}

function documentsDiffer([room, ...replicas]: Picture['stored']): string[] {
  if (!room) return [];
  return replicas.flatMap((replica) => {
    const names = [...replica.documents.keys()];
    const there: Documents = new Map(names.map((name) => [name, room.documents.get(name) ?? '']));
    return differences(room, replica, 'document', there, replica.documents);
  });
}

function mapped(values: ReadonlyMap<string, unknown>): Map<string, string> {
  return new Map([...values].map(([key, value]) => [key, JSON.stringify(value)]));
}

function differences(
  one: { name: string },
  other: { name: string },
  what: string,
  ours: ReadonlyMap<string, string>,
  theirs: ReadonlyMap<string, string>,
): string[] {
  const keys = [...new Set([...ours.keys(), ...theirs.keys()])].sort();
  return keys.flatMap((key) => {
    const [a, b] = [ours.get(key), theirs.get(key)];
    return a === b
      ? []
      : [`${what} ${key} differs: ${one.name} ${around(a, b)}, ${other.name} ${around(b, a)}`];
  });
}

/** The text from shortly before the first difference on. */
function around(text: string | undefined, other = ''): string {
  if (text === undefined) return 'has none';
  let at = 0;
  while (at < text.length && text[at] === other[at]) at += 1;
  return `…${text.slice(Math.max(0, at - 40), at + 80)}…`;
}
