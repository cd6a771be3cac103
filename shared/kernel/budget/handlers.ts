import type { UsageRow } from '../../state/system.ts';
import type { Result } from '../../syscalls/table.ts';
import type { usageSyscalls } from '../../syscalls/usage.ts';
import { addUsage } from '../agent/turn.ts';
import type { Handlers } from '../handler.ts';
import type { ProcHandlerParts } from '../proc/handlers.ts';
import { processAccess } from '../proc/process-access.ts';
import type { Processes } from '../proc/processes.ts';
import type { Config } from '../sys/config.ts';
import { budgetsOf, usedOf } from './budgets.ts';
import type { UsageLedger } from './ledger.ts';

export type UsageSyscall = keyof typeof usageSyscalls;
type UsageLine = Result<'proc.usage'>['rows'][number];

const USUAL_DAYS = 30;
const DAY_MS = 86_400_000;

export type UsageParts = { usage: UsageLedger; config: Config; processes: Processes };

export function usageHandlers(
  { usage, config, processes }: UsageParts,
  proc: ProcHandlerParts,
): Handlers<UsageSyscall> {
  const { inDialogue } = processAccess(proc);
  return {
    'proc.usage': async ({ pid, days = USUAL_DAYS }, { caller }) => {
      const { uid } = caller.identity;
      if (pid !== undefined && processes.row(pid)) processes.demand(pid, caller.identity);
      const from = daysBefore(usage.today, days - 1);
      const rows = usage.rows({ uid, ...(pid === undefined ? {} : { pid }) });
      const label = (of: string): string | null => processes.row(of)?.label ?? null;
      const budgets = budgetsOf((name) => config.resolve(uid, name)).map(({ scope, unit, limit }) => {
        const known = scope === 'run' || (scope === 'process' && pid === undefined);
        const used = known ? null : usedOf(usage, { uid, pid: pid ?? '' }, scope)[unit];
        return { scope, unit, limit, used };
      });
      return { today: usage.today, rows: lines(rows, label).filter(({ day }) => day >= from), budgets };
    },
    'proc.continue': ({ raise, ...about }, { caller }) =>
      inDialogue(caller, about, async (dialogue) => ({ ok: true, runId: await dialogue.retry(raise) })),
  };
}

/** The rows of all replicas together, newest day first, then by cost. */
function lines(rows: readonly UsageRow[], label: (pid: string) => string | null): UsageLine[] {
  const sums = new Map<string, UsageRow>();
  for (const row of rows) {
    const key = JSON.stringify([row.day, row.pid, row.provider, row.model]);
    const sum = sums.get(key);
    const more = sum && { calls: sum.calls + row.calls, usage: addUsage(sum.usage, row.usage) };
    sums.set(key, { ...row, ...more });
  }
  return [...sums.values()]
    .map(({ day, pid, provider, model, calls, usage }) => ({
      day,
      pid,
      label: label(pid),
      provider,
      model,
      calls,
      ...usage,
    }))
    .sort((a, b) => (a.day === b.day ? b.cost - a.cost || b.output - a.output : a.day < b.day ? 1 : -1));
}

function daysBefore(day: string, days: number): string {
  return new Date(Date.parse(`${day}T12:00:00Z`) - days * DAY_MS).toISOString().slice(0, 10);
}
