import type { FsErrorCode } from '../fs/fs-error.ts';

const ABSENT = 'No such file or directory';
/** The commands of the shell say of every file they cannot open that it is not there. */
const LINE = new RegExp(`^([\\w.-]+: (?:cannot \\w+ )?)'?(.+?)'?: ${ABSENT}$`);

const reasons: Partial<Record<FsErrorCode, string>> = {
  EACCES: 'Permission denied',
  EPERM: 'Operation not permitted',
  EROFS: 'Read-only file system',
  ELOOP: 'Too many levels of symbolic links',
  ENAMETOOLONG: 'File name too long',
  ENOSPC: 'No space left on device',
  EIO: 'Contents are not available on this host',
};

/** Files that the file system refused, and why; corrects what commands then printed of them. */
export class Refusals {
  readonly #reasons = new Map<string, string>();

  note(path: string, code: FsErrorCode): void {
    const reason = reasons[code];
    if (reason !== undefined) this.#reasons.set(path, reason);
  }

  correct(stderr: string): string {
    if (this.#reasons.size === 0 || !stderr.includes(ABSENT)) return stderr;
    return stderr
      .split('\n')
      .map((line) => this.#correctLine(line))
      .join('\n');
  }

  #correctLine(line: string): string {
    const [, before = '', path = ''] = LINE.exec(line) ?? [];
    const reason = path === '' ? undefined : this.#reasonFor(path);
    return reason === undefined ? line : `${before}${path}: ${reason}`;
  }

  /** Commands print a path as it was typed; the file system was asked for all of it. */
  #reasonFor(typed: string): string | undefined {
    const end = typed.replace(/^(\.{0,2}\/)+/, '');
    for (const [path, reason] of this.#reasons) {
      if (path === typed || path.endsWith(`/${end}`)) return reason;
    }
    return undefined;
  }
}
