/** What `fs.read` says of a text file: `lines` counts the whole text, `content` holds the lines asked for. */
export type NumberedText = { content: string; lines: number };

const NUMBER_WIDTH = 6;

/**
 * The lines of a text without their `\n`. A final line break ends the last line and starts no new one;
 * an empty text has no lines. Carriage returns stay.
 */
export function splitLines(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** One line as `fs.read` shows it: its number from 1, right-aligned to six, a tab, the text. */
export function numberLine(number: number, line: string): string {
  return `${String(number).padStart(NUMBER_WIDTH)}\t${line}`;
}

/** Numbers `limit` lines from `offset` (counted from 0) on. Past the end the content is empty. */
export function numberLines(text: string, offset = 0, limit = Number.POSITIVE_INFINITY): NumberedText {
  const lines = splitLines(text);
  const wanted = lines.slice(offset, offset + limit);
  return {
    content: wanted.map((line, index) => numberLine(offset + index + 1, line)).join('\n'),
    lines: lines.length,
  };
}
