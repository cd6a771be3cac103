import { describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { updatePieces } from './update-pieces.ts';

/** Numbers that look random and are the same each time. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state % below;
  };
}

/** A document that several replicas have changed by turns, with rows replaced and deleted across them. */
function busyDocument(seed: number): Y.Doc {
  const next = numbers(seed);
  const docs = [new Y.Doc(), new Y.Doc(), new Y.Doc()];
  for (let step = 0; step < 300; step += 1) {
    const doc = docs[next(docs.length)] as Y.Doc;
    const rows = doc.getMap('rows');
    const key = `k${next(20)}`;
    if (next(5) === 0) rows.delete(key);
    else rows.set(key, 'v'.repeat(next(200)));
    if (next(4) === 0) doc.getText('text').insert(0, `t${step}`);
    if (next(6) === 0) doc.getArray('list').insert(0, [step, step]);
    const other = docs[next(docs.length)] as Y.Doc;
    if (next(3) === 0) Y.applyUpdate(other, Y.encodeStateAsUpdate(doc, Y.encodeStateVector(other)));
  }
  const [whole, ...rest] = docs as [Y.Doc, Y.Doc, Y.Doc];
  for (const doc of rest) Y.applyUpdate(whole, Y.encodeStateAsUpdate(doc));
  return whole;
}

const contents = (doc: Y.Doc) => [
  doc.getMap('rows').toJSON(),
  doc.getText('text').toString(),
  doc.getArray('list').toJSON(),
];

describe('an update in pieces', () => {
  test.each([1, 2, 3, 4, 5, 6, 7, 8])(
    '[S16] each takes effect at once, all together the whole (seed %i)',
    (seed) => {
      const doc = busyDocument(seed);
      const update = Y.encodeStateAsUpdate(doc);
      const pieces = updatePieces(update, 500);
      expect(pieces.length).toBeGreaterThan(5);
      const copy = new Y.Doc();
      for (const piece of pieces) {
        Y.applyUpdate(copy, piece);
        expect(copy.store.pendingStructs).toBe(null);
        expect(copy.store.pendingDs).toBe(null);
      }
      expect(contents(copy)).toEqual(contents(doc));
      expect(Y.encodeStateVector(copy)).toEqual(Y.encodeStateVector(doc));
      expect(Y.equalSnapshots(Y.snapshot(copy), Y.snapshot(doc))).toBe(true);
    },
  );

  test('[S16] what is on top of something that is there already comes in order, too', () => {
    const doc = busyDocument(9);
    const copy = new Y.Doc();
    Y.applyUpdate(copy, Y.encodeStateAsUpdate(doc));
    for (let key = 0; key < 100; key += 1) doc.getMap('rows').set(`k${key % 20}`, 'w'.repeat(100));
    const missing = Y.encodeStateAsUpdate(doc, Y.encodeStateVector(copy));
    for (const piece of updatePieces(missing, 300)) {
      Y.applyUpdate(copy, piece);
      expect(copy.store.pendingStructs).toBe(null);
    }
    expect(contents(copy)).toEqual(contents(doc));
  });

  test('[S16] pieces have about the length that was asked for; a longer row is one of its own', () => {
    const doc = new Y.Doc();
    const rows = doc.getMap('rows');
    for (let key = 0; key < 50; key += 1) rows.set(`k${key}`, 'x'.repeat(1_000));
    rows.set('long', 'x'.repeat(50_000));
    rows.set('after', 1);
    const lengths = updatePieces(Y.encodeStateAsUpdate(doc), 4_000).map(({ length }) => length);
    expect(lengths.filter((length) => length > 6_000)).toHaveLength(1);
    expect(Math.max(...lengths)).toBeLessThan(56_000);
  });

  test('[S16] a short update stays as it is', () => {
    const update = Y.encodeStateAsUpdate(busyDocument(1));
    expect(updatePieces(update, update.length)).toEqual([update]);
  });
});
