import type * as Y from 'yjs';

/** Which row of a document is too long for the server, and what to do, for a person. */
export function tooLong(doc: Y.Doc): string {
  const rows = [...doc.share.keys()].flatMap((table) => rowsOf(doc, table));
  const longest = rows.reduce<Row | null>(
    (most, row) => (row.length > (most?.length ?? 0) ? row : most),
    null,
  );
  const what = longest ? `“${longest.key}” in ${longest.table}` : 'A change';
  return `${what} is too long: a server takes 16 MiB in one piece. Make it shorter or remove it, then all goes on`;
}

type Row = { table: string; key: string; length: number };

function rowsOf(doc: Y.Doc, table: string): Row[] {
  return Array.from(doc.getMap(table).entries(), ([key, value]) => {
    const length = typeof value === 'string' ? value.length : 0;
    return { table, key, length };
  });
}
