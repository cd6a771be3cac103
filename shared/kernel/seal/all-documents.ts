import { EPOCHS_DOC } from '../../state/seal.ts';
import { SYSTEM_DOC } from '../../state/system.ts';
import { conversationStates, rowsOf, segmentsOf, type TableRows } from '../backup/document-rows.ts';
import type { Documents } from '../documents.ts';

/**
 * Names of all documents of this GSV that the room cannot read, in order: those on this disk, and those that their rows
 * speak of. Rejects when one of these cannot be read.
 */
export async function sealedDocuments(
  documents: Pick<Documents, 'replicated' | 'open' | 'close'>,
): Promise<string[]> {
  const names = new Set(await documents.replicated());
  for (const state of conversationStates(await read(documents, SYSTEM_DOC))) {
    names.add(state);
    for (const segment of segmentsOf(state, await read(documents, state))) names.add(segment);
  }
  names.delete(EPOCHS_DOC);
  return [...names].sort();
}

async function read(documents: Pick<Documents, 'open' | 'close'>, name: string): Promise<TableRows[]> {
  const tables = rowsOf(await documents.open(name));
  await documents.close(name);
  return tables;
}
