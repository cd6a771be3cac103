import { CONTROL_DOC } from '../../state/control.ts';
import { FS_DOC, SYSTEM_DOC } from '../../state/system.ts';

/** Contents of files, among the names of documents: no document has it. */
export const CONTENTS = '';

/** A document as a person calls it. */
export function documentWords(name: string): string {
  if (name === FS_DOC) return 'your files';
  if (name === CONTROL_DOC) return 'who may use this GSV';
  if (name === SYSTEM_DOC) return 'your settings and processes';
  if (name === CONTENTS) return 'the contents of a file';
  return 'a conversation';
}
