import { isLocal } from '../../../shared/kernel/local/engine-names.ts';
import type { Reached } from '../../../shared/state/conversation.ts';
import { money, tokens } from '../parts/words.ts';
import type { BudgetState, Spent, Unit } from './usage.ts';

export function modelWords({ provider, model }: { provider: string; model: string }): string {
  return `${model} · ${isLocal(provider) ? 'on this device' : provider}`;
}

export function amountWords(unit: Unit, value: number): string {
  return unit === 'cost' ? money(value) : `${tokens(value)} tokens`;
}

/** A price that is not known is no price of 0; models of this device have none. */
export function costWords({ cost, tokens: used, unpriced }: Omit<Spent, 'calls'>): string {
  if (cost === 0 && unpriced > 0) return 'not known';
  return cost === 0 && used > 0 ? 'free' : money(cost);
}

/** What one run cost. */
export function runCostWords(cost: number, free: boolean): string {
  if (cost > 0) return money(cost);
  return free ? 'free, on this device' : 'not known';
}

const scopeNames: Record<BudgetState['scope'], string> = {
  run: 'one run',
  process: 'one process',
  day: 'a day',
  month: 'a month',
};
export const scopeName = (scope: BudgetState['scope']): string => scopeNames[scope];

/** `$0.12 of $2.00 used today`. */
export function usedWords({ scope, unit, limit, used }: BudgetState): string {
  const when = scope === 'day' ? 'today' : 'this month';
  return `${amountWords(unit, used ?? 0)} of ${amountWords(unit, limit)} used ${when}`;
}

/** What “Continue” offers first, for each unit whose budget is used up: as much as the budget was, at most. */
export function offered(budgets: readonly Reached[]): Partial<Record<Unit, number>> {
  const raise: Partial<Record<Unit, number>> = {};
  for (const { unit, limit } of budgets) {
    const amount = unit === 'cost' ? Math.max(0.01, Math.round(limit * 100) / 100) : Math.max(1_000, limit);
    raise[unit] = Math.min(raise[unit] ?? amount, amount);
  }
  return raise;
}

/** What was typed, as a raise; null when it is no amount. */
export function readAmount(unit: Unit, text: string): number | null {
  const value = Number(text.trim().replace(',', '.'));
  if (!Number.isFinite(value) || value <= 0 || (unit === 'cost' && value > 10_000)) return null;
  return unit === 'tokens' ? Math.max(1, Math.round(value)) : value;
}
