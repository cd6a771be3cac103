import type { Reached, RunRow, Usage } from '../../state/conversation.ts';
import type { ModelChoice } from '../ports/models.ts';
import { budgetsOf, reachedBudgets, type Setting, usedOf } from './budgets.ts';
import type { UsageLedger } from './ledger.ts';

/** What the runs of one process use, and when that is enough. Settings count from the moment they are changed. */
export type Spending = {
  /** A model call's use; on disk with the next flush. */
  count(choice: Pick<ModelChoice, 'provider' | 'model'>, usage: Usage | null): void;
  /** The budgets that are used up. */
  reached(run: Pick<RunRow, 'usage' | 'raised'>): Reached[];
};

export function spendingOf(
  ledger: UsageLedger,
  process: { uid: number; pid: string },
  setting: Setting,
): Spending {
  return {
    count: (choice, usage) => ledger.count(process, choice, usage),
    reached: (run) => reachedBudgets(budgetsOf(setting), run, (scope) => usedOf(ledger, process, scope)),
  };
}
