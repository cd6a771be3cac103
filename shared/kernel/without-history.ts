import * as Y from 'yjs';

/** A new document with the rows of another one, of which all root types are maps of JSON, and nothing of what it was. */
export function withoutHistory(doc: Y.Doc): Y.Doc {
  const renewed = new Y.Doc();
  renewed.transact(() => {
    for (const name of doc.share.keys()) {
      const rows = renewed.getMap(name);
      for (const [key, row] of doc.getMap(name)) rows.set(key, row);
    }
  });
  return renewed;
}
