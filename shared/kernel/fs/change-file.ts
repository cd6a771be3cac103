import { concatBytes } from '../../std/bytes.ts';
import type { Credentials } from './credentials.ts';
import type { FileSystem } from './file-system.ts';
import type { Place } from './walk.ts';

/** A file as a change of it began with it. */
export type Before = {
  bytes: Uint8Array<ArrayBuffer>;
  /** The same as long as its contents are. Views have none: what they show is changed by themselves. */
  state: string;
};

export function stateOf(place: Place): string {
  return place.kind === 'inode' ? JSON.stringify(place.inode.content ?? null) : place.kind;
}

/**
 * Writes what `change` makes of a file's bytes; when they have become others meanwhile, of those: reading and storing
 * take time, in which somebody else may have written. Resolves with what takes it back. What `change` throws ends it.
 */
export async function changeFile(
  fs: FileSystem,
  path: string,
  caller: Credentials,
  { read, change }: { read: boolean; change(bytes: Uint8Array<ArrayBuffer>): Uint8Array },
): Promise<() => void> {
  for (;;) {
    const before = await fs.before(path, caller, read);
    const takeBack = await fs.replaceFile(path, change(before.bytes), caller, before);
    if (takeBack) return takeBack;
  }
}

/** Adds bytes to the end of a file, which is made if it is not there. */
export async function appendFile(
  fs: FileSystem,
  path: string,
  bytes: Uint8Array,
  caller: Credentials,
): Promise<void> {
  await changeFile(fs, path, caller, { read: false, change: (before) => concatBytes([before, bytes]) });
}
