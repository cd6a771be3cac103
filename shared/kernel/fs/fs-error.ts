/** What went wrong, by the names that every Unix program uses. */
const sentences = {
  ENOENT: 'no such file or directory',
  EACCES: 'permission denied',
  EISDIR: 'is a directory',
  ENOTDIR: 'not a directory',
  EEXIST: 'already exists',
  ENOTEMPTY: 'directory not empty',
  ELOOP: 'too many symbolic links',
  EINVAL: 'invalid argument',
  ENAMETOOLONG: 'name too long',
  EPERM: 'operation not permitted',
  EROFS: 'read-only',
  ENOSPC: 'no space left',
  EFBIG: 'file too large',
  EIO: 'contents are not available on this host',
} as const;
export type FsErrorCode = keyof typeof sentences;

/** An operation on files that failed. The message is a sentence for people; the code is for programs. */
export class FsError extends Error {
  override readonly name = 'FsError';
  readonly code: FsErrorCode;
  readonly path: string;
  /** What went wrong, without the path. */
  readonly reason: string;

  constructor(code: FsErrorCode, path: string, reason: string = sentences[code]) {
    super(`${reason.replace(/\.$/, '')}: ${shown(path)}`);
    this.code = code;
    this.path = path;
    this.reason = reason;
  }

  /** The bare sentence of a code. */
  static sentence(code: FsErrorCode): string {
    return sentences[code];
  }
}

/** Whether there was no room on the disk. */
export function isFull(thrown: unknown): thrown is FsError {
  return thrown instanceof FsError && thrown.code === 'ENOSPC';
}

const SHOWN_CHARACTERS = 200;

/** A path as it may stand in a message: printable and short. */
function shown(path: string): string {
  const printable = path.replaceAll(/\p{Cc}/gu, '\uFFFD');
  return printable.length > SHOWN_CHARACTERS ? `${printable.slice(0, SHOWN_CHARACTERS)}…` : printable || "''";
}
