import { describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { followUpdates, takeIn } from './updates.ts';

const FAR = 'far';

/** A document and what is told of its changes, which is what would be stored of it. */
function followed(): { doc: Y.Doc; told: { update: Uint8Array; origin: unknown }[] } {
  const doc = new Y.Doc();
  const told: { update: Uint8Array; origin: unknown }[] = [];
  followUpdates(doc, (update, origin) => told.push({ update, origin }));
  return { doc, told };
}

/** Of a document in which `keys` were written one after the other: the update of each. */
function written(...keys: string[]): Uint8Array[] {
  const doc = new Y.Doc();
  const updates: Uint8Array[] = [];
  doc.on('update', (update: Uint8Array) => updates.push(update));
  for (const key of keys) doc.getMap('rows').set(key, key);
  return updates;
}

const rowsOf = (doc: Y.Doc): unknown => doc.getMap('rows').toJSON();

function storedIn(told: readonly { update: Uint8Array }[]): unknown {
  const doc = new Y.Doc();
  for (const { update } of told) Y.applyUpdate(doc, update);
  return rowsOf(doc);
}

describe('updates of a document', () => {
  test('[S90] what is news from its first to its last byte is handed on as it came, once, with its origin', () => {
    const { doc, told } = followed();
    const [update] = written('a') as [Uint8Array];
    takeIn(doc, update, FAR);
    expect(told).toEqual([{ update, origin: FAR }]);
    expect(told[0]?.update).toBe(update);
    takeIn(doc, update, FAR);
    expect(told).toHaveLength(1);
    expect(rowsOf(doc)).toEqual({ a: 'a' });
  });

  test('[S90] of what was known in part only the rest is handed on', () => {
    const { doc, told } = followed();
    const [first, second] = written('a', 'b') as [Uint8Array, Uint8Array];
    takeIn(doc, first, FAR);
    const both = Y.mergeUpdates([first, second]);
    takeIn(doc, both, FAR);
    expect(told[1]?.update.length).toBeLessThan(both.length);
    expect(storedIn(told)).toEqual({ a: 'a', b: 'b' });
  });

  test('[S90] what comes before what it follows is handed on when that has come', () => {
    const { doc, told } = followed();
    const [first, second] = written('a', 'b') as [Uint8Array, Uint8Array];
    takeIn(doc, second, FAR);
    expect(told).toEqual([]);
    takeIn(doc, first, FAR);
    expect(storedIn(told)).toEqual({ a: 'a', b: 'b' });
  });

  test('[S90] what is changed here is handed on, also by whoever hears of what came', () => {
    const { doc, told } = followed();
    const rows = doc.getMap('rows');
    rows.observe(({ keysChanged }) => {
      if (keysChanged.has('a')) rows.set('answer', 1);
    });
    const [update] = written('a') as [Uint8Array];
    takeIn(doc, update, FAR);
    rows.set('own', 2);
    expect(storedIn(told)).toEqual({ a: 'a', answer: 1, own: 2 });
    expect(told.map(({ origin }) => origin)).toEqual([FAR, null, null]);
  });

  test('[S90] what comes in one transaction is handed on whole', () => {
    const { doc, told } = followed();
    const updates = [...written('a'), ...written('b')];
    const takeAll = (): void => {
      for (const update of updates) takeIn(doc, update, FAR);
    };
    Y.transact(doc, takeAll, FAR, false);
    expect(storedIn(told)).toEqual({ a: 'a', b: 'b' });
  });

  test('[S90] who follows no longer is told nothing', () => {
    const doc = new Y.Doc();
    const told: unknown[] = [];
    const end = followUpdates(doc, (update) => told.push(update));
    end();
    takeIn(doc, written('a')[0] as Uint8Array, FAR);
    doc.getMap('rows').set('b', 1);
    expect(told).toEqual([]);
  });
});
