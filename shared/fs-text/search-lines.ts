import { splitLines } from './number-lines.ts';

/** `fs.search` answers with at most this many matches (FACTS, Numbers). */
export const MOST_MATCHES = 500;
/** Characters shown of a line that matched. */
const SHOWN_CHARACTERS = 500;

export type LineMatch = { line: number; content: string };

/** The lines that contain `query` literally, numbered from 1, at most `most` of them. */
export function searchLines(text: string, query: string, most: number): LineMatch[] {
  if (!text.includes(query)) return [];
  const matches: LineMatch[] = [];
  for (const [index, line] of splitLines(text).entries()) {
    if (matches.length >= most) break;
    if (line.includes(query)) matches.push({ line: index + 1, content: shownLine(line) });
  }
  return matches;
}

/** A line as a match shows it: without the line break, cut where it is long. */
export function shownLine(line: string): string {
  const bare = line.replace(/\r?\n?$/, '');
  return bare.length > SHOWN_CHARACTERS ? bare.slice(0, SHOWN_CHARACTERS) : bare;
}

/** Why a query cannot be searched for, or undefined. */
export function queryProblem(query: string): string | undefined {
  if (query === '') return 'query is empty: give the text to find';
  if (/[\n\0]/.test(query)) return 'query must be part of one line: it may hold no line break and no NUL';
  return undefined;
}
