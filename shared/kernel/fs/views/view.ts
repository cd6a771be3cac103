import type { Credentials } from '../credentials.ts';

export type NodeKind = 'file' | 'dir' | 'symlink';
export type ViewNode = { kind: 'file' | 'dir'; mode: number; uid: number; gid: number };

/**
 * Files made of live state, mounted at one path. Paths are segments below the mount; the mount itself is `[]`.
 * A node that the caller may not know of does not exist. The file system checks mode bits before `read` and `write`;
 * a view that has rules of its own checks them too, and throws FsError.
 */
export type View = {
  stat(path: readonly string[], caller: Credentials): ViewNode | undefined;
  /** Entries of a directory that `stat` knows. */
  list(path: readonly string[], caller: Credentials): string[];
  /** Bytes of a file that `stat` knows. */
  read(path: readonly string[], caller: Credentials): Uint8Array<ArrayBuffer>;
  /** Whether anything can be written there, by somebody. */
  canWrite(path: readonly string[], caller: Credentials): boolean;
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
