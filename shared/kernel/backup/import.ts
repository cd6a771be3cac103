import { messageOf, SyscallError } from '../../protocol/errors.ts';
import type { ByteStream } from '../../protocol/streams.ts';
import type { SystemTables } from '../../state/system.ts';
import type { Clock } from '../../std/clock.ts';
import type { Random } from '../../std/random.ts';
import type { Args, Result } from '../../syscalls/table.ts';
import type { Passwords } from '../auth/passwords.ts';
import type { Documents } from '../documents.ts';
import type { BlobStore } from '../ports/blob-store.ts';
import type { Keys } from '../seal/keys.ts';
import { chooseSealing } from '../sys/choose-sealing.ts';
import { inSetupMode } from '../sys/setup.ts';
import { adopt } from './adopt.ts';
import { ByteReader } from './byte-reader.ts';
import { readExport } from './read-export.ts';

export type ImportParts = {
  documents: Pick<Documents, 'open' | 'close' | 'flush'>;
  blobs: Pick<BlobStore, 'put' | 'delete'>;
  passwords: Passwords;
  tables: SystemTables;
  random: Random;
  clock: Clock;
  keys: Keys;
  /** Whether this browser belongs to a room. */
  joined(): boolean;
};

/**
 * Makes an exported file the state of this empty GSV. Nothing of it is seen until all of it was read and found well;
 * then it is one write. Rejects with SyscallError 409 when the GSV is not empty, 400 on a damaged file, 507 when there is no space; then
 * nothing is changed, contents that were stored on the way are deleted again.
 */
export async function importGsv(
  parts: ImportParts,
  { size, password, sealed = false }: Args<'sys.import'>,
  stream: ByteStream,
  signal: AbortSignal,
): Promise<Result<'sys.import'>> {
  demandEmpty(parts);
  const reader = new ByteReader(stream, size, signal);
  const onAbort = (): void => reader.cancel(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const put = new Set<string>();
  const undo: (() => Promise<void>)[] = [];
  try {
    const { staging, manifest } = await readExport(reader, async (bytes) => {
      put.add(await stored(parts.blobs, bytes));
    });
    const { uid, username } = staging.owner;
    undo.push(() => parts.passwords.delete(uid));
    await parts.passwords.put(uid, password);
    undo.push(() => chooseSealing(parts, false));
    await chooseSealing(parts, sealed);
    signal.throwIfAborted();
    await adopt(parts.documents, staging.documents, () => demandEmpty(parts));
    const { files, messages } = staging.counts;
    const missing = manifest.missing.blobs.length + manifest.missing.documents.length;
    return { username, files, messages, missing, secrets: staging.secrets(manifest) };
  } catch (thrown) {
    reader.cancel(thrown);
    for (const hash of put) undo.push(() => parts.blobs.delete(hash));
    for (const take of undo) await take().catch(() => {});
    throw thrown;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function demandEmpty({ tables, joined }: ImportParts): void {
  if (joined())
    throw new SyscallError(409, 'This browser belongs to a server already; import into an empty GSV');
  if (!inSetupMode(tables)) throw new SyscallError(409, 'Only an empty GSV can be filled from a file');
}

async function stored(blobs: ImportParts['blobs'], bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  try {
    return await blobs.put(bytes);
  } catch (thrown) {
    throw new SyscallError(507, messageOf(thrown), { retryable: true });
  }
}
