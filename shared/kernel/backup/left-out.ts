import { CONTROL_DOC } from '../../state/control.ts';
import { tableOf } from '../../state/row-fields.ts';
import { EPOCHS_DOC } from '../../state/seal.ts';
import { FS_DOC, SYSTEM_DOC } from '../../state/system.ts';
import { WORK_DOC } from '../proc/open-work.ts';
import { OUTBOX_DOC } from '../sync/outbox.ts';
import { SEALED } from '../sys/config.ts';

/**
 * What an exported file never holds, and what is refused when a file holds it:
 *
 * - everything in the vault: password hashes, provider keys and other secrets of settings, the tokens of this browser;
 * - tables `tokens` and `token_words`: the hashes of all tokens, of people, devices and browsers. A file that could bring one would be
 *   a way in;
 * - table `invites`: invitations for browsers and the secrets sealed in them;
 * - tables `replicas` and `replica_words`: the browsers that hold the GSV. The new one has its own;
 * - table `push`: how push services reach the browsers that hold the GSV;
 * - table `seal`: that it was sealed, and under which name. The new one is or is not;
 * - table `device_keys`: the secrets of devices, whose tokens are not in it either;
 * - tables `epochs`, `members`, `shut_out`, `recovery` and `reseals`: who has which of its keys;
 * - table `shell_sessions`: sessions that are open on devices now;
 * - table `moved`: what became of rows of an older version;
 * - table `secrets`, and settings whose value is a secret. The manifest names them, so that a person knows what to type again;
 * - documents that are this browser's alone: `work` and `outbox`.
 *
 * Devices are exported as offline, for whether one is connected is the room's to say.
 */
const TABLES: ReadonlySet<string> = new Set([
  'tokens',
  'token_words',
  'invites',
  'replicas',
  'replica_words',
  'push',
  'seal',
  'device_keys',
  'shell_sessions',
  'moved',
  'epochs',
  'members',
  'shut_out',
  'recovery',
  'secrets',
  'reseals',
]);
const OF_TABLES: ReadonlySet<string> = new Set([CONTROL_DOC, EPOCHS_DOC, SYSTEM_DOC]);
const LOCAL_DOCUMENTS: ReadonlySet<string> = new Set([WORK_DOC, OUTBOX_DOC]);

export function isLocalDocument(doc: string): boolean {
  return LOCAL_DOCUMENTS.has(doc);
}

export function isLeftOut(doc: string, map: string): boolean {
  return OF_TABLES.has(doc) && TABLES.has(tableOf(map));
}

/** A setting of which the row says only that there is a secret. */
export function isSealed(doc: string, table: string, value: unknown): boolean {
  return OF_TABLES.has(doc) && table === 'config' && fieldOf(value, 'value') === SEALED;
}

/** A row as the file holds it. */
export function asExported(doc: string, table: string, value: unknown): unknown {
  const isDevice = OF_TABLES.has(doc) && table === 'devices' && typeof value === 'object' && value !== null;
  return isDevice ? { ...value, online: false } : value;
}

/** The blob that a row refers to. Files are what has blobs. */
export function blobOfRow(doc: string, table: string, value: unknown): string | undefined {
  if (doc !== FS_DOC || table !== 'inodes') return undefined;
  const hash = fieldOf(fieldOf(value, 'content'), 'blob');
  return typeof hash === 'string' ? hash : undefined;
}

export function isFile(doc: string, table: string, value: unknown): boolean {
  return doc === FS_DOC && table === 'inodes' && fieldOf(value, 'kind') === 'file';
}

export function isMessage(doc: string, table: string): boolean {
  return doc.startsWith('conv/') && table === 'messages';
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
