import type { Credentials } from '../credentials.ts';

export type NodeKind = 'file' | 'dir' | 'symlink';
/** `size`: of a file that is long to read, and whose size nobody needs to know: 0, as Linux says of such files. */
export type ViewNode = { kind: 'file' | 'dir'; mode: number; uid: number; gid: number; size?: 0 };
/** Some lines of a text, without their line breaks, and how many it has. */
export type Lines = { lines: string[]; total: number };

/**
 * Files made of live state, mounted at one path. Paths are segments below the mount; the mount itself is `[]`.
 * A node that the caller may not know of does not exist. The file system checks mode bits before `read` and `write`;
 * a view that has rules of its own checks them too, and throws FsError.
 */
export type View = {
  stat(path: readonly string[], caller: Credentials): Promise<ViewNode | undefined>;
  /** Entries of a directory that `stat` knows. */
  list(path: readonly string[], caller: Credentials): Promise<string[]>;
  /** Bytes of a file that `stat` knows. */
  read(path: readonly string[], caller: Credentials): Promise<Uint8Array<ArrayBuffer>>;
  /** Lines of a file that `stat` knows, from `offset` (0 is the first); undefined where it has to be read whole. */
  lines(
    path: readonly string[],
    caller: Credentials,
    offset: number,
    limit: number,
  ): Promise<Lines | undefined>;
  /** Whether anything can be written there, by somebody. */
  canWrite(path: readonly string[], caller: Credentials): Promise<boolean>;
  /** Writes a file, or a new one where `canWrite`. */
  write(path: readonly string[], bytes: Uint8Array, caller: Credentials): Promise<void>;
};

const encoder = new TextEncoder();

/** The text of a view's file, ending its last line. */
export function textFile(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text === '' || text.endsWith('\n') ? text : `${text}\n`);
}

export function jsonFile(value: unknown): Uint8Array<ArrayBuffer> {
  return textFile(JSON.stringify(value, null, 2));
}
