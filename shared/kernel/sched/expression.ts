import type { ScheduleExpression } from '../../syscalls/sched.ts';
import { cronProblem, nextCron, normalCron } from './cron.ts';

/** The last moment that a date can show. */
const LAST_MS = 8.64e15;

/** What is wrong with an expression at this moment, in words for whoever wrote it; null when it will fire. */
export function expressionProblem(expression: ScheduleExpression, now: number): string | null {
  if (expression.kind === 'cron') return cronProblem(expression.expr, expression.timezone, now);
  if (expression.kind === 'at' && expression.atMs <= now) return 'This time is past';
  if (expression.kind === 'at' && expression.atMs > LAST_MS) return 'There is no such time';
  return null;
}

/** As it is stored. */
export function normalExpression(expression: ScheduleExpression): ScheduleExpression {
  return expression.kind === 'cron' ? { ...expression, expr: normalCron(expression.expr) } : expression;
}

/**
 * The first fire after `after`, of an expression that was armed at `armedAt`: a pure function, in one step however far
 * away that fire is. Null when there is none. Throws on an expression that `expressionProblem` refuses.
 */
export function nextFire(expression: ScheduleExpression, armedAt: number, after: number): number | null {
  switch (expression.kind) {
    case 'at':
      return expression.atMs > after ? expression.atMs : null;
    case 'after': {
      const at = armedAt + expression.afterMs;
      return at > after ? at : null;
    }
    case 'every': {
      const { everyMs, anchorMs = armedAt } = expression;
      if (after < anchorMs) return anchorMs;
      return anchorMs + (Math.floor((after - anchorMs) / everyMs) + 1) * everyMs;
    }
    case 'cron':
      return nextCron(expression.expr, expression.timezone, after);
  }
}

/** The next few fires, soonest first; fewer when it ends. */
export function nextFires(
  expression: ScheduleExpression,
  armedAt: number,
  after: number,
  count: number,
): number[] {
  const fires: number[] = [];
  for (let last = after; fires.length < count; ) {
    const next = nextFire(expression, armedAt, last);
    if (next === null) break;
    fires.push(next);
    last = next;
  }
  return fires;
}

/** Whether it fires once and never again. */
export function firesOnce({ kind }: ScheduleExpression): boolean {
  return kind === 'at' || kind === 'after';
}
