import { compileGlob } from '../../../shared/fs-text/glob-match.ts';
import { queryProblem } from '../../../shared/fs-text/search-lines.ts';
import type { Args, Result } from '../../../shared/syscalls/table.ts';
import { OperationFailure } from '../operation.ts';
import { Matches } from './matches.ts';
import { searchWithRipgrep } from './ripgrep.ts';
import { searchByWalking } from './walk.ts';

/** Answers `fs.search` below an absolute path, by ripgrep where there is one. */
export async function searchPath(
  path: string,
  { query, include }: Pick<Args<'fs.search'>, 'query' | 'include'>,
  signal: AbortSignal,
): Promise<Result<'fs.search'>> {
  const problem = queryProblem(query);
  if (problem) throw new OperationFailure(problem);
  const matches = new Matches();
  const accepts = include ? compileGlob(include) : () => true;
  if (!(await searchWithRipgrep(path, query, accepts, matches.offer, signal))) {
    await searchByWalking(path, query, accepts, matches.offer, signal);
  }
  return matches.result();
}
