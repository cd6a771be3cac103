import { type Static, Type } from 'typebox';
import { expect, test } from 'vitest';
import * as Y from 'yjs';
import { Cell } from './cell.ts';
import { messageKey } from './conversation.ts';
import { ROW_BYTES } from './row-codec.ts';
import { Table } from './table.ts';

const Row = Type.Object({ name: Type.String(), size: Type.Integer() });
type Row = Static<typeof Row>;

test('[K2] a stored row that is not what its schema says reads as absent and stays where it is', () => {
  const doc = new Y.Doc();
  const table = new Table(doc, 'files', Row);
  table.put('a', { name: 'a', size: 1 });
  doc.getMap('files').set('b', { name: 'b', size: 'large' });
  expect(table.get('b')).toBeUndefined();
  expect(table.rows()).toEqual([{ name: 'a', size: 1 }]);
  expect(table.patch('b', { size: 1 })).toBeUndefined();
  expect(doc.getMap('files').get('b')).toEqual({ name: 'b', size: 'large' });
  const cell = new Cell(doc.getMap('state'), 'one', Row);
  doc.getMap('state').set('one', 7);
  expect(cell.get()).toBeUndefined();
});

test('[S87] a row that could never reach another replica is refused with 413, and what stood there stays', () => {
  const doc = new Y.Doc();
  const table = new Table(doc, 'files', Row);
  const cell = new Cell(doc.getMap('state'), 'one', Row);
  for (const write of [(row: Row) => table.put('a', row), (row: Row) => cell.set(row)]) {
    write({ name: 'é'.repeat(ROW_BYTES / 2 - 20), size: 1 });
    expect(() => write({ name: 'é'.repeat(ROW_BYTES / 2), size: 2 })).toThrow(/15 MiB .*in a file instead/);
  }
  expect([table.get('a')?.size, cell.get()?.size]).toEqual([1, 1]);
});

test('[K2] rows are put, patched, deleted and told of once per transaction', () => {
  const doc = new Y.Doc();
  const table = new Table(doc, 'files', Row);
  const told: string[][] = [];
  const stop = table.observe((keys) => told.push([...keys].sort()));
  doc.transact(() => {
    table.put('a', { name: 'a', size: 1 });
    table.put('b', { name: 'b', size: 2 });
  });
  expect(table.patch('a', { size: 3 })).toEqual({ name: 'a', size: 3 });
  expect([table.delete('b'), table.delete('b'), table.size, table.keys()]).toEqual([true, false, 1, ['a']]);
  stop();
  table.put('c', { name: 'c', size: 1 });
  expect(told).toEqual([['a', 'b'], ['a'], ['b']]);
});

test('[K2] rows reach another replica, and keys of messages sort as their ids', () => {
  const [here, there] = [new Y.Doc(), new Y.Doc()];
  new Table(here, 'files', Row).put('a', { name: 'ä', size: 1 });
  Y.applyUpdate(there, Y.encodeStateAsUpdate(here));
  expect(new Table(there, 'files', Row).get('a')).toEqual({ name: 'ä', size: 1 });
  const ids = [1, 9, 10, 99, 1000, 123_456, 2 ** 20, 5 * 2 ** 20 + 3 * 2 ** 10 + 7, Number.MAX_SAFE_INTEGER];
  expect(ids.map(messageKey).sort()).toEqual(ids.map(messageKey));
});

test('[K131] rows are stored as JSON text, and rows of older versions, which are values, are read beside them', () => {
  const doc = new Y.Doc();
  const table = new Table(doc, 'files', Row);
  const stored = doc.getMap('files');
  table.put('new', { name: 'a', size: 1 });
  stored.set('old', { name: 'b', size: 2 });
  stored.set('broken', '{"name":');
  expect(stored.get('new')).toBe('{"name":"a","size":1}');
  expect(table.rows()).toEqual([
    { name: 'a', size: 1 },
    { name: 'b', size: 2 },
  ]);
  expect(table.get('broken')).toBeUndefined();
  table.put('old', { name: 'b', size: 3 });
  expect(stored.get('old')).toBe('{"name":"b","size":3}');
  const cell = new Cell(doc.getMap('state'), 'one', Row);
  doc.getMap('state').set('one', { name: 'c', size: 3 });
  expect(cell.get()).toEqual({ name: 'c', size: 3 });
  cell.set({ name: 'd', size: 4 });
  expect([doc.getMap('state').get('one'), cell.get()]).toEqual([
    '{"name":"d","size":4}',
    { name: 'd', size: 4 },
  ]);
});

test('[K131] a stored row is read once until it changes, however many there are', () => {
  const table = new Table(new Y.Doc(), 'files', Row);
  for (let at = 0; at < 500; at += 1) table.put(`${at}`, { name: 'a', size: at });
  const rows = table.rows();
  table.put('7', { name: 'b', size: 7 });
  const again = table.rows();
  expect(again.filter((row, at) => row === rows[at]).length).toBeGreaterThan(400);
  expect(table.get('7')).toEqual({ name: 'b', size: 7 });
  expect(again).toHaveLength(500);
});

test('[K132] a row that is there already is not written again, and nobody is told', () => {
  const doc = new Y.Doc();
  const table = new Table(doc, 'files', Row);
  const cell = new Cell(doc.getMap('state'), 'one', Row);
  const put = (size: number): void => {
    table.put('a', { name: 'a', size });
    cell.set({ name: 'a', size });
  };
  put(1);
  let updates = 0;
  doc.on('update', () => {
    updates += 1;
  });
  put(1);
  table.patch('a', { size: 1 });
  expect(updates).toBe(0);
  put(2);
  expect(updates).toBe(2);
});
