import * as Y from 'yjs';
import { CONTROL_DOC } from '../../shared/state/control.ts';
import { EPOCHS_DOC } from '../../shared/state/seal.ts';
import { SYSTEM_DOC, type SystemTables, systemTables } from '../../shared/state/system.ts';
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

/** The tables as they are on the disk. */
export function readTables(disk: MemoryDisk): SystemTables {
  return systemTables({
    system: readDoc(disk, SYSTEM_DOC),
    control: readDoc(disk, CONTROL_DOC),
    epochs: readDoc(disk, EPOCHS_DOC),
  });
}

/** Changes rows of `system` and `control` while no kernel runs. */
export function editTables(disk: MemoryDisk, edit: (tables: SystemTables) => void): void {
  editDoc(disk, CONTROL_DOC, (control) =>
    editDoc(disk, SYSTEM_DOC, (system) =>
      edit(systemTables({ system, control, epochs: readDoc(disk, EPOCHS_DOC) })),
    ),
  );
}
