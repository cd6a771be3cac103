import * as Y from 'yjs';

type Change = { map: Y.Map<unknown>; key: string; before: unknown; after: unknown };

/**
 * Runs `change`, which must not await, and answers with what takes back the rows that it wrote: each becomes what it
 * was before, unless it was changed again since.
 */
export function takeable<T>(docs: Iterable<Y.Doc>, change: () => T): { result: T; takeBack(): void } {
  const changes: Change[] = [];
  const note = (transaction: Y.Transaction): void => {
    for (const [type, events] of transaction.changedParentTypes) {
      if (!(type instanceof Y.Map)) continue;
      for (const event of events) if (event.target === type) changes.push(...rowsOf(event));
    }
  };
  const noted = [...docs];
  for (const doc of noted) doc.on('afterTransaction', note);
  try {
    return { result: change(), takeBack: () => takeAllBack(noted, changes) };
  } finally {
    for (const doc of noted) doc.off('afterTransaction', note);
  }
}

function rowsOf(event: Y.YEvent<Y.AbstractType<unknown>>): Change[] {
  const map = event.target as Y.Map<unknown>;
  return Array.from(event.keys, ([key, { oldValue }]) => ({
    map,
    key,
    before: oldValue,
    after: map.get(key),
  }));
}

function takeAllBack(docs: readonly Y.Doc[], changes: readonly Change[]): void {
  for (const doc of docs) {
    const own = changes.filter(({ map }) => map.doc === doc);
    if (own.length === 0) continue;
    doc.transact(() => {
      for (const { map, key, before, after } of own.toReversed()) {
        if (map.get(key) !== after) continue;
        if (before === undefined) map.delete(key);
        else map.set(key, before);
      }
    });
  }
}
