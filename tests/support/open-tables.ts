import type { Documents } from '../../shared/kernel/documents.ts';
import { CONTROL_DOC } from '../../shared/state/control.ts';
import { EPOCHS_DOC } from '../../shared/state/seal.ts';
import { SYSTEM_DOC, type SystemTables, systemTables } from '../../shared/state/system.ts';

/** Opens the documents of the tables, too. */
export async function openTables(documents: Documents): Promise<SystemTables> {
  return systemTables({
    system: await documents.open(SYSTEM_DOC),
    control: await documents.open(CONTROL_DOC),
    epochs: await documents.open(EPOCHS_DOC),
  });
}
