import { diffLines } from 'diff';
import { type DiffLine, plainDiff, splitLines } from './diff-lines.ts';

/** A change that needs longer than this to compare is shown as old and new. */
const DIFF_MS = 200;

/** The line difference of two texts. Fetched apart from the page. */
export function exactDiff(before: string, after: string): DiffLine[] {
  const parts = diffLines(before, after, { timeout: DIFF_MS });
  if (parts === undefined) return plainDiff(before, after);
  return parts.flatMap((part) =>
    splitLines(part.value).map(
      (text): DiffLine => ({ kind: part.added ? 'added' : part.removed ? 'removed' : 'same', text }),
    ),
  );
}
