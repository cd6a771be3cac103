import { lstat, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { OperationFailure, unlessMissing } from './operation.ts';

/** The workstation as calls see it: absolute paths. */
export type Machine = {
  readonly home: string;
  /** What relative paths are relative to, and where commands start. */
  readonly workspace: string;
  /** When given, `fs.*` reaches nothing outside it. */
  readonly allowedRoot: string | undefined;
};

/** The most characters of a path (the table bounds it too; a resolved path may be longer). */
const LONGEST_PATH = 4096;

/**
 * The absolute path that a caller means: `~` is the home directory, a relative path starts at the workspace.
 * Rejects with OperationFailure on a NUL, an over-long path, and a path outside the allowed root.
 */
export async function resolvePath(machine: Machine, path: string): Promise<string> {
  if (path.includes('\0')) throw new OperationFailure('The path holds a NUL character');
  const absolute = resolve(machine.workspace, expandHome(machine, path));
  if (absolute.length > LONGEST_PATH) throw new OperationFailure('The path is too long');
  if (machine.allowedRoot !== undefined) await checkInside(machine.allowedRoot, absolute);
  return absolute;
}

function expandHome(machine: Machine, path: string): string {
  if (path === '~') return machine.home;
  return path.startsWith('~/') ? join(machine.home, path.slice(2)) : path;
}

async function checkInside(root: string, absolute: string): Promise<void> {
  if (isWithin(await realPathOf(root), await realPathOf(absolute))) return;
  throw new OperationFailure(`Outside the directory that this machine allows (${root}): ${absolute}`);
}

/** Whether `path` is `root` or below it; both absolute and without links. */
export function isWithin(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === '' || (way !== '..' && !way.startsWith('../') && !way.startsWith('/'));
}

/**
 * The path with every link resolved as far as it exists; the names that do not exist yet are kept. A link to what is not
 * there counts too: whoever writes to it makes that.
 */
export async function realPathOf(path: string): Promise<string> {
  const real = await unlessMissing(realpath(path));
  if (real !== undefined) return real;
  const parent = dirname(path);
  if (parent === path) return path;
  const place = join(await realPathOf(parent), basename(path));
  const target = await linkTarget(place);
  if (target === undefined) return place;
  // Not normalised: what `..` leaves may itself be a link.
  return realPathOf(isAbsolute(target) ? target : `${dirname(place)}/${target}`);
}

/** Where a link leads, as it is written; undefined for anything else. */
async function linkTarget(path: string): Promise<string | undefined> {
  const entry = await unlessMissing(lstat(path));
  return entry?.isSymbolicLink() ? readlink(path) : undefined;
}
