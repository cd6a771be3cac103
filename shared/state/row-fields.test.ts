import { type Static, Type } from 'typebox';
import { describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { rowsIn, tablesIn } from './row-fields.ts';
import { Table } from './table.ts';

const Row = Type.Object({
  name: Type.String(),
  state: Type.String(),
  task: Type.Optional(Type.Object({ ended: Type.Boolean() })),
});
type Row = Static<typeof Row>;
type Replica = { doc: Y.Doc; rows: Table<typeof Row> };

const BEFORE: Row = { name: 'before', state: 'idle', task: { ended: false } };

/** Two replicas of one row, of which the one or the other wins where both changed the same. */
function apart(winner: 'a' | 'b', stored: unknown = JSON.stringify(BEFORE)): { a: Replica; b: Replica } {
  const [a, b] = ['a', 'b'].map((name) => {
    const doc = new Y.Doc();
    doc.clientID = name === winner ? 20 : 10;
    return { doc, rows: new Table(doc, 'processes', Row) };
  }) as [Replica, Replica];
  a.doc.getMap('processes').set('p', stored);
  Y.applyUpdate(b.doc, Y.encodeStateAsUpdate(a.doc));
  return { a, b };
}

/** What both have once they have heard of each other; it is the same. */
function met({ a, b }: { a: Replica; b: Replica }): Row | undefined {
  const [from, to] = [Y.encodeStateAsUpdate(a.doc), Y.encodeStateAsUpdate(b.doc)];
  Y.applyUpdate(b.doc, from);
  Y.applyUpdate(a.doc, to);
  expect(a.rows.get('p')).toEqual(b.rows.get('p'));
  expect(Y.encodeStateVector(a.doc)).toEqual(Y.encodeStateVector(b.doc));
  return b.rows.get('p');
}

describe.each(['a', 'b'] as const)(
  'of rows that two replicas changed apart, where %s comes later',
  (winner) => {
    test.each([
      ['as rows are stored', JSON.stringify(BEFORE)],
      ['as an older version stored them', BEFORE],
    ])('[S107] changes of different fields all come true, %s', (_, stored) => {
      const { a, b } = apart(winner, stored);
      a.rows.patch('p', { name: 'renamed' });
      b.rows.patch('p', { state: 'killed', task: { ended: true } });
      expect(met({ a, b })).toEqual({ name: 'renamed', state: 'killed', task: { ended: true } });
      a.rows.patch('p', { state: 'idle' });
      b.rows.patch('p', { name: 'again' });
      expect(met({ a, b })).toEqual({ name: 'again', state: 'idle', task: { ended: true } });
    });

    test('[S107] of changes of one field one comes true, and a field that is taken away stays away', () => {
      const { a, b } = apart(winner);
      a.rows.patch('p', { name: 'a', task: undefined });
      b.rows.patch('p', { name: 'b' });
      expect(met({ a, b })).toEqual({ name: winner, state: 'idle' });
    });

    test('[S107] a row that is put whole undoes no field that was changed apart', () => {
      const { a, b } = apart(winner);
      a.rows.patch('p', { name: 'first' });
      met({ a, b });
      a.rows.patch('p', { name: 'second' });
      b.rows.put('p', { name: 'whole', state: 'running' });
      expect(met({ a, b })).toEqual({ name: 'second', state: 'running' });
    });

    test('[S107] what was removed stays removed, and what comes in its place begins anew', () => {
      const { a, b } = apart(winner);
      a.rows.patch('p', { name: 'renamed' });
      b.rows.delete('p');
      expect(met({ a, b })).toBeUndefined();
      b.rows.put('p', { name: 'new', state: 'idle' });
      expect(met({ a, b })).toEqual({ name: 'new', state: 'idle' });
    });
  },
);

test('[S107] a change of a field is told once with what changes beside it, also one that comes from elsewhere', () => {
  const { a, b } = apart('a');
  const told: string[][] = [];
  b.rows.observe((keys) => told.push([...keys].sort()));
  a.doc.transact(() => {
    a.rows.put('q', BEFORE);
    a.rows.patch('p', { name: 'x', state: 'y' });
    a.rows.patch('q', { name: 'z' });
  });
  Y.applyUpdate(b.doc, Y.encodeStateAsUpdate(a.doc));
  b.rows.patch('p', { name: 'x' });
  expect(told).toEqual([['p', 'q']]);
  expect(b.rows.rows().map(({ name }) => name)).toEqual(['x', 'z']);
});

test('[S107] a put row says all of itself, and one that is as it was is not written', () => {
  const { a } = apart('a');
  a.rows.patch('p', { name: 'x' });
  let updates = 0;
  a.doc.on('update', () => {
    updates += 1;
  });
  a.rows.put('p', { ...BEFORE, name: 'x' });
  expect(updates).toBe(0);
  a.rows.put('p', { ...BEFORE, name: 'y' });
  expect([updates, a.rows.get('p')?.name, a.doc.getMap('processes.name').size]).toEqual([1, 'y', 0]);
  a.rows.patch('p', { name: 'z' });
  a.rows.delete('p');
  expect([a.rows.get('p'), a.doc.getMap('processes.name').size]).toEqual([undefined, 0]);
});

test('[S107] the rows of a document are whole without their schemas, too', () => {
  const { a } = apart('a');
  a.rows.patch('p', { name: 'x', task: undefined });
  expect(tablesIn(a.doc.share.keys())).toEqual(['processes']);
  expect([...rowsIn(a.doc, 'processes')]).toEqual([['p', { name: 'x', state: 'idle' }]]);
});
