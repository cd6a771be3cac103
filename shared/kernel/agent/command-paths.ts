import { normalPath } from '../fs/paths.ts';
import type { Tag } from './command-program.ts';

export type Locations = {
  /** Where relative paths start now. */
  cwd: string;
  /** Where the command line started. */
  start: string;
  home: string;
};

const URL_OR_HOST = /^([A-Za-z][\w+.-]*:\/\/|[\w.@-]+:)/;
const PATHLIKE = /^(~|\.)|\//;
const DEVICES = /^\/dev\/(null|zero|stdin|stdout|stderr|tty|fd\/\d+|u?random)$/;

/** What the places that arguments name say about a command. Words that are no paths are none. */
export function pathTags(paths: readonly string[], where: Locations): Tag[] {
  const tags = new Set<Tag>();
  for (const text of paths) {
    const path = text.replace(/^-[A-Za-z]?/, '').replace(/^[\w-]+=/, '');
    if (!PATHLIKE.test(path) || URL_OR_HOST.test(path) || DEVICES.test(path)) continue;
    if (isHidden(path)) tags.add('hidden-path');
    const absolute = resolvePath(path, where);
    if (!isInside(absolute, where.start)) tags.add('outside-cwd');
    if (!isInside(absolute, where.home)) tags.add('outside-home');
  }
  return [...tags];
}

export function resolvePath(path: string, { cwd, home }: Pick<Locations, 'cwd' | 'home'>): string {
  if (path === '~' || path.startsWith('~/')) return normalPath(home + path.slice(1));
  // Another user's home: somewhere outside, wherever it is.
  if (path.startsWith('~')) return normalPath(`/${path}`);
  return normalPath(path.startsWith('/') ? path : `${cwd}/${path}`);
}

function isHidden(path: string): boolean {
  return path.split('/').some((segment) => segment.startsWith('.') && segment !== '.' && segment !== '..');
}

function isInside(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith('/') ? directory : `${directory}/`);
}
