import type * as Y from 'yjs';
import { rowCodec } from '../../state/row-codec.ts';
import type { Documents } from '../documents.ts';
import { isLeftOut } from './left-out.ts';
import type { StagedDocument } from './staging.ts';

/**
 * Makes the staged rows the state, in one write over all documents. `mayBegin` is asked in the moment before; it throws
 * when it is too late. Rejects when it could not be written; then the documents are again as they were.
 */
export async function adopt(
  documents: Pick<Documents, 'open' | 'close' | 'flush'>,
  staged: ReadonlyMap<string, StagedDocument>,
  mayBegin: () => void,
): Promise<void> {
  const open: { name: string; doc: Y.Doc; rows: StagedDocument }[] = [];
  try {
    for (const [name, rows] of staged) open.push({ name, rows, doc: await documents.open(name) });
    mayBegin();
    // Nothing awaits between the first change and the flush: storage that writes by itself sees all of it or none.
    const undo = open.map(({ doc, name, rows }) => replaceRows(doc, name, rows));
    await documents.flush().catch((thrown) => {
      for (const take of undo) take();
      throw thrown;
    });
  } finally {
    for (const { name } of open) await documents.close(name);
  }
}

/** The tables of a document become what was staged; what a file never holds stays. The returned function undoes it. */
function replaceRows(doc: Y.Doc, name: string, staged: StagedDocument): () => void {
  const names = new Set([...doc.share.keys(), ...staged.keys()]);
  const changes = [...names]
    .filter((table) => !isLeftOut(name, table))
    .map((table) => {
      const map = doc.getMap(table);
      return { map, before: new Map(map.entries()), after: staged.get(table) ?? new Map<string, unknown>() };
    });
  doc.transact(() => {
    for (const { map, after } of changes) fill(map, after, rowCodec.encode);
  });
  return () =>
    doc.transact(() => {
      for (const { map, before } of changes) fill(map, before, (stored) => stored);
    });
}

function fill(
  map: Y.Map<unknown>,
  rows: ReadonlyMap<string, unknown>,
  encode: (row: unknown) => unknown,
): void {
  for (const key of [...map.keys()]) if (!rows.has(key)) map.delete(key);
  for (const [key, row] of rows) map.set(key, encode(row));
}
