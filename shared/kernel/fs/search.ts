import { compileGlob } from '../../fs-text/glob-match.ts';
import { isBinary } from '../../fs-text/is-binary.ts';
import { MOST_MATCHES, searchLines } from '../../fs-text/search-lines.ts';
import type { Credentials } from './credentials.ts';
import type { FileSystem } from './file-system.ts';
import { FsError } from './fs-error.ts';
import { joinPath } from './paths.ts';
import type { NodeKind } from './views/view.ts';

export type Match = { path: string; line: number; content: string };
export type SearchOptions = {
  query: string;
  path: string;
  /** A glob: on the name, or with a slash on the path below `path`. */
  include?: string | undefined;
  signal?: AbortSignal | undefined;
};

/** Views are generated, endless or secret; a search that began above them does not look into them. */
const VIEWS = new Set(['/proc', '/sys', '/dev', '/etc']);

/**
 * Lines that contain `query` literally, in the order of paths, at most 500. Links are not followed; binary files and
 * what the caller may not read are passed over. Throws FsError when `path` itself cannot be read.
 */
export async function searchFiles(
  fs: FileSystem,
  caller: Credentials,
  options: SearchOptions,
): Promise<{ matches: Match[]; truncated: boolean }> {
  const top = await fs.realpath(options.path, caller);
  const { kind } = await fs.stat(top, caller);
  const include = options.include === undefined ? () => true : compileGlob(options.include);
  const matches: Match[] = [];
  if (kind === 'dir') await fs.readdir(top, caller);
  for await (const path of files(fs, caller, top, kind)) {
    options.signal?.throwIfAborted();
    if (kind === 'dir' && !include(relative(top, path))) continue;
    const wanted = MOST_MATCHES + 1 - matches.length;
    for (const match of await matchesIn(fs, caller, path, options.query, wanted))
      matches.push({ path, ...match });
    if (matches.length > MOST_MATCHES) return { matches: matches.slice(0, MOST_MATCHES), truncated: true };
  }
  return { matches, truncated: false };
}

async function* files(
  fs: FileSystem,
  caller: Credentials,
  path: string,
  kind: NodeKind,
): AsyncGenerator<string> {
  if (kind === 'file') yield path;
  if (kind !== 'dir') return;
  const entries = await readable(fs.readdir(path, caller));
  for (const entry of entries ?? []) {
    const child = joinPath(path, entry.name);
    if (!VIEWS.has(child)) yield* files(fs, caller, child, entry.kind);
  }
}

async function matchesIn(fs: FileSystem, caller: Credentials, path: string, query: string, most: number) {
  const bytes = await readable(fs.readFile(path, caller));
  if (!bytes || isBinary(bytes)) return [];
  return searchLines(new TextDecoder().decode(bytes), query, most);
}

/** What may be read, or undefined. */
async function readable<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof FsError) return undefined;
    throw error;
  }
}

function relative(top: string, path: string): string {
  return path.slice(top === '/' ? 1 : top.length + 1);
}
