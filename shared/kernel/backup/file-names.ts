import { damaged } from './damaged.ts';

export const MANIFEST = 'manifest.json';
const ROWS = 'rows/';
const BLOBS = 'blobs/';
const SUFFIX = '.jsonl';

const HASH = /^[0-9a-f]{64}$/;
/** Letters, digits and `%` escapes: no separator, no dot at the front, nothing that a filesystem would read otherwise. */
const SAFE_PART = /^(?:[A-Za-z0-9_-]|%[0-9A-F]{2})(?:[A-Za-z0-9._-]|%[0-9A-F]{2})*$/;

/** What a name in the file stands for. */
export type FileName =
  | { kind: 'manifest' }
  | { kind: 'rows'; doc: string; table: string }
  | { kind: 'blob'; hash: string };

export function blobFile(hash: string): string {
  return BLOBS + hash;
}

/** `rows/<doc>/<table>.jsonl`; what is not safe in a file's name is escaped by its UTF-8 in hexadecimal. */
export function rowsFile(doc: string, table: string): string {
  return ROWS + [...doc.split('/'), table].map(escapePart).join('/') + SUFFIX;
}

/** Throws SyscallError 400 for any name but those that `rowsFile` and `blobFile` give. */
export function parseFileName(name: string): FileName {
  if (name === MANIFEST) return { kind: 'manifest' };
  if (name.startsWith(BLOBS) && HASH.test(name.slice(BLOBS.length)))
    return { kind: 'blob', hash: name.slice(BLOBS.length) };
  const rows = parseRowsFile(name);
  if (!rows || rowsFile(rows.doc, rows.table) !== name)
    throw damaged(`it holds ${JSON.stringify(name)}, which GSV does not write`);
  return { kind: 'rows', ...rows };
}

function parseRowsFile(name: string): { doc: string; table: string } | undefined {
  if (!name.startsWith(ROWS) || !name.endsWith(SUFFIX)) return undefined;
  const parts = name.slice(ROWS.length, -SUFFIX.length).split('/');
  if (parts.length < 2 || !parts.every((part) => SAFE_PART.test(part))) return undefined;
  try {
    const [table = '', ...doc] = parts.map(decodeURIComponent).reverse();
    return { doc: doc.reverse().join('/'), table };
  } catch {
    return undefined;
  }
}

function escapePart(part: string): string {
  const escaped = encodeURIComponent(part).replace(/[!'()*~]/g, escapeByte);
  return escaped.replace(/^\./, '%2E');
}

function escapeByte(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
