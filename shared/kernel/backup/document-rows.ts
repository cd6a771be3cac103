import * as Y from 'yjs';
import { rowsIn, tablesIn } from '../../state/row-fields.ts';
import { segmentName } from '../proc/log-segments.ts';
import type { Row } from './row-lines.ts';

export type TableRows = { table: string; rows: Row[] };

/** The rows of every table of a document as they are at this moment, in the order of their keys. */
export function rowsOf(doc: Y.Doc): TableRows[] {
  const maps = [...doc.share.keys()].filter((name) => isMap(doc, name));
  return tablesIn(maps).map((table) => ({ table, rows: sortedRows(doc, table) }));
}

/** The state documents of the conversations that the rows of `system` speak of, whether they are on this disk or not. */
export function conversationStates(system: readonly TableRows[]): string[] {
  const named = [...rowsOfTable(system, 'processes'), ...rowsOfTable(system, 'conversations')];
  const states = named.flatMap(({ value }) => {
    const { pid, conversationId } = (value ?? {}) as Record<string, unknown>;
    return typeof pid === 'string' && typeof conversationId === 'string'
      ? [`conv/${pid}/${conversationId}/state`]
      : [];
  });
  return [...new Set(states)];
}

/** The documents that hold the messages that the rows of a conversation's state count. */
export function segmentsOf(name: string, state: readonly TableRows[]): string[] {
  if (!/^conv\/.+\/state$/.test(name)) return [];
  const prefix = name.slice(0, -'state'.length);
  return rowsOfTable(state, 'log').flatMap(({ key, value }) => {
    const [generation = Number.NaN, segment = Number.NaN] = key.split('/').map(Number);
    const { count } = (value ?? {}) as Record<string, unknown>;
    const counted = typeof count === 'number' && count > 0;
    return counted && generation >= 0 && segment >= 0 ? [segmentName(prefix, generation, segment)] : [];
  });
}

function rowsOfTable(tables: readonly TableRows[], name: string): readonly Row[] {
  return tables.find(({ table }) => table === name)?.rows ?? [];
}

function sortedRows(doc: Y.Doc, table: string): Row[] {
  const rows = Array.from(rowsIn(doc, table), ([key, value]) => ({ key, value }));
  return rows.sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** Tables are maps; a type that nobody has asked for yet is of no kind. */
function isMap(doc: Y.Doc, name: string): boolean {
  const type = doc.share.get(name);
  return type instanceof Y.Map || type?.constructor === Y.AbstractType;
}
