import type { Reached, RunRow } from '../../state/conversation.ts';
import type { Spent } from './ledger.ts';
import { spentOf, type UsageLedger } from './ledger.ts';

export type Scope = 'run' | 'process' | 'day' | 'month';
export type Unit = keyof Spent;
export const scopes: readonly Scope[] = ['run', 'process', 'day', 'month'];
export const units: readonly Unit[] = ['cost', 'tokens'];

/** US dollars of one run, where the account sets none. */
const DEFAULT_RUN_COST = 5;

/** The account's setting of this name, resolved. */
export type Setting = (name: string) => string | undefined;

export type Budget = { scope: Scope; unit: Unit; limit: number };

/**
 * The budgets of an account: `ai/budget/<scope>_<unit>`, a number above 0. Run and process have their own; day and
 * month are those of the whole account.
 */
export function budgetsOf(setting: Setting): Budget[] {
  return scopes.flatMap((scope) =>
    units.flatMap((unit) => {
      const limit = limitOf(setting, scope, unit);
      return limit === null ? [] : [{ scope, unit, limit }];
    }),
  );
}

function limitOf(setting: Setting, scope: Scope, unit: Unit): number | null {
  const limit = positive(setting(`ai/budget/${scope}_${unit}`));
  if (limit !== null || scope !== 'run' || unit !== 'cost') return limit;
  return positive(setting('ai/max_cost')) ?? DEFAULT_RUN_COST;
}

/** What has been used of a scope that is not one run's. */
export function usedOf(
  ledger: UsageLedger,
  { uid, pid }: { uid: number; pid: string },
  scope: Exclude<Scope, 'run'>,
): Spent {
  if (scope === 'process') return ledger.spent({ uid, pid });
  return ledger.spent({ uid, day: scope === 'day' ? ledger.today : ledger.today.slice(0, 7) });
}

/**
 * The budgets that are used up, for a run that is about to ask its model. What a person allowed the run stands in
 * place of all budgets of its unit.
 */
export function reachedBudgets(
  budgets: readonly Budget[],
  { usage, raised = {} }: Pick<RunRow, 'usage' | 'raised'>,
  used: (scope: Exclude<Scope, 'run'>) => Spent,
): Reached[] {
  const own = spentOf(usage);
  const allowed = units.flatMap((unit): Reached[] => {
    const limit = raised[unit];
    return limit !== undefined && own[unit] >= limit
      ? [{ scope: 'raised', unit, limit, used: own[unit] }]
      : [];
  });
  const reached = budgets
    .filter(({ unit }) => raised[unit] === undefined)
    .map((budget) => ({ ...budget, used: (budget.scope === 'run' ? own : used(budget.scope))[budget.unit] }))
    .filter((budget) => budget.used >= budget.limit);
  return [...allowed, ...reached];
}

const owners: Record<Reached['scope'], string> = {
  run: 'the budget of one run',
  process: 'the budget of this process',
  day: 'the budget of the day',
  month: 'the budget of the month',
  raised: 'what you allowed this run',
};

/** Which budgets stopped a run, as a sentence for a person. */
export function reachedWords(reached: readonly Reached[]): string {
  const parts = reached.map(
    ({ scope, unit, limit, used }) =>
      `${owners[scope]}, ${amount(unit, limit)}, is used up (${amount(unit, used)})`,
  );
  return `Stopped before the next model call: ${parts.join('; ')}.`;
}

function amount(unit: Unit, value: number): string {
  if (unit === 'tokens') return `${Math.round(value).toLocaleString('en')} token${value === 1 ? '' : 's'}`;
  return `$${value < 0.01 ? value.toFixed(4) : value.toFixed(2)}`;
}

function positive(value: string | undefined): number | null {
  const number = Number(value);
  return Number.isFinite(number) && number > 0 ? number : null;
}
