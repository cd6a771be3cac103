import { FS_DOC, SYSTEM_DOC } from '../../state/system.ts';

/** A document as a person calls it. */
export function documentWords(name: string): string {
  if (name === FS_DOC) return 'your files';
  if (name === SYSTEM_DOC) return 'your settings and processes';
  return 'a conversation';
}
