import type { OperationError } from '../../shared/syscalls/declare.ts';

/** An operation that failed for a reason its caller should read; it becomes `{ok: false, error}`. */
export class OperationFailure extends Error {
  override readonly name = 'OperationFailure';
}

const words: Record<string, string> = {
  ENOENT: 'No such file or directory',
  EACCES: 'Permission denied',
  EPERM: 'Operation not permitted',
  EISDIR: 'Is a directory',
  ENOTDIR: 'Not a directory, or a part of the path is a file',
  EEXIST: 'Exists already',
  ELOOP: 'Too many symbolic links',
  ENAMETOOLONG: 'The name is too long',
  ENOTEMPTY: 'The directory is not empty',
  ENOSPC: 'The disk is full',
  EDQUOT: 'The disk quota is used up',
  EROFS: 'The file system is read-only',
  EBUSY: 'In use by the system',
  ETXTBSY: 'The program is running',
  EMFILE: 'Too many open files',
  ENFILE: 'Too many open files',
  EIO: 'The disk failed to read or write',
  EFBIG: 'The file would be too large',
};

/** Runs an operation on `path`; what the system or the operation itself refuses becomes its result. */
export async function operation<Result>(
  path: string,
  run: () => Promise<Result>,
): Promise<Result | OperationError> {
  try {
    return await run();
  } catch (thrown) {
    if (thrown instanceof OperationFailure) return { ok: false, error: thrown.message };
    if (!isSystemError(thrown)) throw thrown;
    return { ok: false, error: `${words[thrown.code] ?? `Failed (${thrown.code})`}: ${path}` };
  }
}

/** Whether the operating system refused, and not our own code. */
export function isSystemError(thrown: unknown): thrown is NodeJS.ErrnoException & { code: string } {
  return (
    thrown instanceof Error && 'syscall' in thrown && 'code' in thrown && typeof thrown.code === 'string'
  );
}

/** The value, or undefined when there is no such file. */
export async function unlessMissing<Value>(value: Promise<Value>): Promise<Value | undefined> {
  try {
    return await value;
  } catch (thrown) {
    if (isSystemError(thrown) && (thrown.code === 'ENOENT' || thrown.code === 'ENOTDIR')) return undefined;
    throw thrown;
  }
}
