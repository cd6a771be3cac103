import type { Usage } from '../../state/conversation.ts';
import type { SystemTables, UsageRow } from '../../state/system.ts';
import type { Clock } from '../../std/clock.ts';
import { addUsage, noUsage } from '../agent/turn.ts';
import type { ModelChoice } from '../ports/models.ts';
import { dayOf } from './day.ts';

/** Rows of longer ago are forgotten. */
const KEPT_DAYS = 400;
const DAY_MS = 86_400_000;

/** What model calls have used, in one count of tokens (read, written and cached) and in US dollars. */
export type Spent = { tokens: number; cost: number };
/** Whose use is asked for; a `day` may be a month, `YYYY-MM`. */
export type UsageFilter = { uid?: number; pid?: string; day?: string };

export type LedgerParts = {
  tables: Pick<SystemTables, 'usage'>;
  /** This replica's number: no other replica writes under it. */
  self: { readonly index: number };
  clock: Clock;
  timezone(): string;
};

/**
 * What model calls use, by day, process and model. Each replica counts its own calls in rows of its own, so rows that
 * replicas wrote apart add up. A count is on disk with the next flush.
 */
export class UsageLedger {
  readonly #parts: LedgerParts;

  constructor(parts: LedgerParts) {
    this.#parts = parts;
  }

  /** The day it is, where the GSV is. */
  get today(): string {
    return dayOf(this.#parts.clock.now(), this.#parts.timezone());
  }

  count(
    { uid, pid }: Pick<UsageRow, 'uid' | 'pid'>,
    { provider, model }: Pick<ModelChoice, 'provider' | 'model'>,
    used: Usage | null,
  ): void {
    if (!used) return;
    const { tables, self } = this.#parts;
    const day = this.today;
    const key = [day, self.index, pid, provider, model].join('/');
    const before = tables.usage.get(key);
    if (!before) this.#forgetOld();
    const calls = (before?.calls ?? 0) + 1;
    const usage = addUsage(before?.usage ?? noUsage, used);
    tables.usage.put(key, { day, writer: self.index, uid, pid, provider, model, calls, usage });
  }

  rows({ uid, pid, day = '' }: UsageFilter): UsageRow[] {
    return this.#parts.tables.usage
      .rows()
      .filter(
        (row) =>
          (uid === undefined || row.uid === uid) &&
          (pid === undefined || row.pid === pid) &&
          row.day.startsWith(day),
      );
  }

  spent(filter: UsageFilter): Spent {
    return spentOf(this.rows(filter).reduce((sum, { usage }) => addUsage(sum, usage), noUsage));
  }

  /** Rows of this replica alone: the others forget theirs. */
  #forgetOld(): void {
    const { tables, self, clock, timezone } = this.#parts;
    const first = dayOf(clock.now() - KEPT_DAYS * DAY_MS, timezone());
    for (const [key, row] of tables.usage.entries())
      if (row.writer === self.index && row.day < first) tables.usage.delete(key);
  }
}

export function spentOf({ input, output, cacheRead, cacheWrite, cost }: Usage): Spent {
  return { tokens: input + output + cacheRead + cacheWrite, cost };
}
