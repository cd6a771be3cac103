import type { Credentials } from './credentials.ts';
import { FsError } from './fs-error.ts';

/** As Linux has them. */
export const NAME_BYTES = 255;
export const PATH_BYTES = 4096;

const encoder = new TextEncoder();

/** A path from outside, made absolute. `..` and `.` are left to the walk, which knows symbolic links. */
export function absolutePath(path: string, caller: Credentials): string {
  if (path === '') throw new FsError('ENOENT', path);
  if (path.includes('\0')) throw new FsError('EINVAL', path, 'a path cannot contain NUL');
  if (tooLong(path, PATH_BYTES)) throw new FsError('ENAMETOOLONG', path, 'path too long');
  if (path === '~' || path.startsWith('~/')) return caller.home + path.slice(1);
  return path.startsWith('/') ? path : `${caller.cwd}/${path}`;
}

export function checkName(name: string, path: string): void {
  if (tooLong(name, NAME_BYTES)) throw new FsError('ENAMETOOLONG', path);
}

function tooLong(text: string, bytes: number): boolean {
  if (text.length * 3 <= bytes) return false;
  return text.length > bytes || encoder.encode(text).length > bytes;
}

/** An absolute path without `.`, `..`, doubled or trailing slashes, looking at nothing but the text. */
export function normalPath(path: string): string {
  const kept: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') kept.pop();
    else if (segment !== '' && segment !== '.') kept.push(segment);
  }
  return `/${kept.join('/')}`;
}

export function joinPath(directory: string, name: string): string {
  return directory === '/' ? `/${name}` : `${directory}/${name}`;
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
