import * as Y from 'yjs';
import type { MemoryDisk } from './memory-storage.ts';

/** The document as it is on the disk. */
export function readDoc(disk: MemoryDisk, name: string): Y.Doc {
  const doc = new Y.Doc();
  for (const row of disk.updates) if (row.doc === name) Y.applyUpdate(doc, row.bytes);
  return doc;
}

/** Changes a stored document while no kernel runs. */
export function editDoc(disk: MemoryDisk, name: string, edit: (doc: Y.Doc) => void): void {
  const doc = readDoc(disk, name);
  const before = Y.encodeStateVector(doc);
  edit(doc);
  disk.updates.push({ doc: name, bytes: Y.encodeStateAsUpdate(doc, before) });
}
