import { MOST_MATCHES } from '../../../shared/fs-text/search-lines.ts';
import type { Result } from '../../../shared/syscalls/table.ts';

export type Match = { path: string; line: number; content: string };
/** Whoever searches offers each match; false means that enough were found. */
export type Offer = (match: Match) => boolean;
/** One way to search: below `root`, or that file, lines that contain `query`, of files that `accepts` names. */
export type Search = (
  root: string,
  query: string,
  accepts: (relativePath: string) => boolean,
  offer: Offer,
  signal: AbortSignal,
) => Promise<void>;

/** Names that are never entered: a repository's own store and installed dependencies. */
export const skippedNames: readonly string[] = ['.git', 'node_modules'];
/** A larger file is no source text. */
export const SEARCHED_FILE_BYTES = 50 * 1024 * 1024;

/** Gathers matches up to the limit and answers in the order of paths and lines. */
export class Matches {
  readonly #found: Match[] = [];
  #truncated = false;

  readonly offer: Offer = (match) => {
    if (this.#found.length < MOST_MATCHES) this.#found.push(match);
    else this.#truncated = true;
    return !this.#truncated;
  };

  result(): Result<'fs.search'> {
    const matches = this.#found.sort((a, b) => compare(a.path, b.path) || a.line - b.line);
    return { ok: true, matches, count: matches.length, ...(this.#truncated ? { truncated: true } : {}) };
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
