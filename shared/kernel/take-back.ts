import * as Y from 'yjs';

type Change = { map: Y.Map<unknown>; key: string; before: unknown; after: unknown };

/** Takes changes back that the disk refused. */
export class TakeBacks {
  /** Values that were refused and replaced before that was known, by key: each with what there was before it. */
  readonly #refused = new WeakMap<Y.Map<unknown>, Map<string, Map<unknown, unknown>>>();

  /**
   * Runs `change`, which must not await, and answers with what takes back the rows that it wrote: each becomes what it
   * was before, unless it was changed again since. A value that was refused itself is never what it was before.
   */
  takeable<T>(docs: Iterable<Y.Doc>, change: () => T): { result: T; takeBack(): void } {
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
      return { result: change(), takeBack: () => this.#takeAllBack(noted, changes) };
    } finally {
      for (const doc of noted) doc.off('afterTransaction', note);
    }
  }

  #takeAllBack(docs: readonly Y.Doc[], changes: readonly Change[]): void {
    for (const doc of docs) {
      const own = changes.filter(({ map }) => map.doc === doc);
      if (own.length === 0) continue;
      doc.transact(() => {
        for (const change of own.toReversed()) this.#takeBack(change);
      });
    }
  }

  #takeBack({ map, key, before, after }: Change): void {
    const kept = this.#keptBefore(map, key, before);
    if (map.get(key) !== after) this.#refuse(map, key, after, kept);
    else if (kept === undefined) map.delete(key);
    else map.set(key, kept);
  }

  #refuse(map: Y.Map<unknown>, key: string, after: unknown, kept: unknown): void {
    const keys = this.#refused.get(map) ?? new Map<string, Map<unknown, unknown>>();
    const values = keys.get(key) ?? new Map<unknown, unknown>();
    this.#refused.set(map, keys.set(key, values.set(after, kept)));
  }

  #keptBefore(map: Y.Map<unknown>, key: string, before: unknown): unknown {
    const values = this.#refused.get(map)?.get(key);
    if (!values?.has(before)) return before;
    const kept = values.get(before);
    values.delete(before);
    return kept;
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
