import { isLocal } from '../../../shared/kernel/local/engine-names.ts';
import type { Result } from '../../../shared/syscalls/table.ts';
import { modelWords } from './usage-words.ts';

export type Usage = Result<'proc.usage'>;
export type UsageRow = Usage['rows'][number];
export type BudgetState = Usage['budgets'][number];
/** `unpriced`: of the tokens, those of models whose price nobody knows; models of this device are free. */
export type Spent = { calls: number; tokens: number; cost: number; unpriced: number };
export type Group = Spent & { key: string; name: string };
/** How days are compared: in US dollars, or in tokens where no price is known. */
export type Unit = 'cost' | 'tokens';

const none: Spent = { calls: 0, tokens: 0, cost: 0, unpriced: 0 };
const DAY_MS = 86_400_000;

export function tokensOf({ input, output, cacheRead, cacheWrite }: UsageRow): number {
  return input + output + cacheRead + cacheWrite;
}

export function sumOf(rows: readonly UsageRow[]): Spent {
  return rows.reduce(
    (sum, row) => ({
      calls: sum.calls + row.calls,
      tokens: sum.tokens + tokensOf(row),
      cost: sum.cost + row.cost,
      unpriced: sum.unpriced + (isUnpriced(row) ? tokensOf(row) : 0),
    }),
    none,
  );
}

/** Every day up to today, oldest first; a day without a call is 0. */
export function byDay({ rows, today }: Usage, days: number): Group[] {
  const last = Date.parse(`${today}T12:00:00Z`);
  return Array.from({ length: days }, (_, at) => {
    const key = new Date(last - (days - 1 - at) * DAY_MS).toISOString().slice(0, 10);
    return { key, name: key, ...sumOf(rows.filter((row) => row.day === key)) };
  });
}

export function byProcess(rows: readonly UsageRow[]): Group[] {
  return groups(
    rows,
    (row) => row.pid,
    (row) => row.label ?? row.pid,
  );
}

export function byModel(rows: readonly UsageRow[]): Group[] {
  return groups(rows, (row) => `${row.provider}/${row.model}`, modelWords);
}

/** The most expensive first. */
function groups(
  rows: readonly UsageRow[],
  keyOf: (row: UsageRow) => string,
  nameOf: (row: UsageRow) => string,
): Group[] {
  const found = new Map<string, UsageRow[]>();
  for (const row of rows) found.set(keyOf(row), [...(found.get(keyOf(row)) ?? []), row]);
  return [...found]
    .map(([key, of]) => ({ key, name: of[0] ? nameOf(of[0]) : key, ...sumOf(of) }))
    .sort((a, b) => b.cost - a.cost || b.tokens - a.tokens);
}

/** Days are shown in dollars as soon as one call has a price. */
export function unitOf(rows: readonly UsageRow[]): Unit {
  return rows.some(({ cost }) => cost > 0) ? 'cost' : 'tokens';
}

/** Whether calls are among them whose price nobody knows: their cost is left out, not free. */
export function hasUnpriced(rows: readonly UsageRow[]): boolean {
  return rows.some(isUnpriced);
}

function isUnpriced(row: UsageRow): boolean {
  return row.cost === 0 && tokensOf(row) > 0 && !isLocal(row.provider);
}
