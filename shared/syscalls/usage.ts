import { Type } from 'typebox';
import { Count, declare, literals, Name, nullable, OperationError, optional, record } from './declare.ts';

const Pid = Type.String({ minLength: 1, maxLength: 128 });
const Amount = Type.Number({ minimum: 0 });
const Day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' });

const UsageLine = record({
  day: Day,
  pid: Type.String(),
  label: nullable(Type.String()),
  provider: Type.String(),
  model: Type.String(),
  calls: Count,
  input: Amount,
  output: Amount,
  cacheRead: Amount,
  cacheWrite: Amount,
  cost: Amount,
});
const BudgetState = record({
  scope: literals(['run', 'day', 'month', 'process']),
  unit: literals(['tokens', 'cost']),
  limit: Amount,
  used: nullable(Amount),
});

export const usageSyscalls = {
  'proc.usage': declare({
    doc: 'What the caller’s model calls used, in tokens and US dollars, by day, process and model; and the account’s budgets with what is used of them. `days` counts back from today (30 unless given), `pid` asks for one process.',
    args: record({ pid: optional(Pid), days: optional(Type.Integer({ minimum: 1, maximum: 400 })) }),
    result: record({ today: Day, rows: Type.Array(UsageLine), budgets: Type.Array(BudgetState) }),
    audience: 'user',
    effect: 'read',
    routable: false,
  }),
  'proc.continue': declare({
    doc: 'Goes on with a run that a limit has stopped. `raise` lets this run use so many more tokens or US dollars, whatever the budgets say.',
    args: record({
      pid: optional(Pid),
      conversationId: optional(Name),
      raise: optional(
        record({
          tokens: optional(Type.Integer({ minimum: 1 })),
          cost: optional(Type.Number({ exclusiveMinimum: 0, maximum: 10_000 })),
        }),
      ),
    }),
    result: Type.Union([record({ ok: Type.Literal(true), runId: Name }), OperationError]),
    audience: 'person',
    effect: 'write',
    routable: false,
  }),
};
