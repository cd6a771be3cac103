import { isWithin, type Row } from './row.ts';

const HEADS = ['row', 'ours', 'theirs', 'ratio', 'spread', 'budget', '', 'peer'];

/** The rows as lines of text, for a terminal. */
export function tableOf(rows: Row[]): string {
  const cells = [HEADS, ...rows.map(cellsOf)];
  const widths = HEADS.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
  return cells
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function cellsOf(row: Row): string[] {
  const { name, ours, theirs, unit, ratio, spread, budget, difference, differenceBudget, peer } = row;
  const added = difference === undefined ? '' : ` (+${difference} ${unit})`;
  const allowed = differenceBudget === undefined ? String(budget ?? '') : `+${differenceBudget} ${unit}`;
  const verdict = budget === null ? '' : isWithin(row) ? 'ok' : 'OVER';
  const range = spread[0] === spread[1] ? '' : `${spread[0]} to ${spread[1]}`;
  return [name, `${ours} ${unit}`, `${theirs} ${unit}`, `${ratio}${added}`, range, allowed, verdict, peer];
}
