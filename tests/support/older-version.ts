import type * as Y from 'yjs';
import { CONTROL_DOC } from '../../shared/state/control.ts';
import { rowCodec } from '../../shared/state/row-codec.ts';
import { rowsIn, tablesIn } from '../../shared/state/row-fields.ts';
import { SYSTEM_DOC } from '../../shared/state/system.ts';
import { editDoc, readDoc } from './edit-doc.ts';
import type { MemoryDisk } from './memory-storage.ts';

/** Puts the rows of `control` where older versions had them. */
export function toOlderVersion({ control, system }: { control: Y.Doc; system: Y.Doc }): void {
  for (const table of tablesIn(control.share.keys()))
    for (const [key, row] of rowsIn(control, table)) system.getMap(table).set(key, rowCodec.encode(row));
}

/** Makes of a disk one that an older version wrote. */
export function ageDisk(disk: MemoryDisk): void {
  const control = readDoc(disk, CONTROL_DOC);
  editDoc(disk, SYSTEM_DOC, (system) => toOlderVersion({ control, system }));
  const others = disk.updates.filter(({ doc }) => doc !== CONTROL_DOC);
  disk.updates.splice(0, disk.updates.length, ...others);
}
