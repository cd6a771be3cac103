import { SyscallError } from '../../protocol/errors.ts';
import type { ScheduleRow } from '../../state/schedules.ts';
import type { SystemTables } from '../../state/system.ts';
import type { Clock } from '../../std/clock.ts';
import type { Random } from '../../std/random.ts';
import type { ScheduleRecord, ScheduleRun } from '../../syscalls/sched.ts';
import type { Args } from '../../syscalls/table.ts';
import { ROOT_UID } from '../auth/accounts.ts';
import type { Caller } from '../handler.ts';
import type { Processes } from '../proc/processes.ts';
import { expressionProblem, normalExpression } from './expression.ts';
import { authorOf, demandAllowed, type PrincipalParts, principal } from './principal.ts';
import { recordOf } from './records.ts';
import { targetCall } from './target-call.ts';
import { KEPT_RUNS } from './ticks.ts';
import type { Wakes } from './wakes.ts';

export type SchedulesParts = PrincipalParts & {
  tables: SystemTables;
  wakes: Wakes;
  processes: Pick<Processes, 'demand'>;
  clock: Clock;
  random: Random;
  flush(): Promise<void>;
};

/** Of one user. */
const MOST_SCHEDULES = 1_000;
const LIST = { usual: 100, most: 500 };
/** A call whose repetition is harmless is tried again by itself; a command is not. */
const DEFAULT_RETRY = { limit: 3, backoffMs: 30_000 };
const NO_RETRY = { limit: 0, backoffMs: 30_000 };

/** The schedules that users have, checked when they are written. Everybody sees their own; root sees all. */
export class Schedules {
  readonly #parts: SchedulesParts;

  constructor(parts: SchedulesParts) {
    this.#parts = parts;
  }

  /** Those of a user, or of everybody, by their names and then their age. */
  rows(ownerUid?: number): ScheduleRow[] {
    return this.#parts.tables.schedules
      .rows()
      .filter((row) => ownerUid === undefined || row.ownerUid === ownerUid)
      .sort((a, b) => a.name.localeCompare(b.name) || a.createdAtMs - b.createdAtMs);
  }

  /** Calls back with the ids of what changed. The returned function ends it. */
  observe(listener: (ids: string[]) => void): () => void {
    const { schedules, scheduleStates } = this.#parts.tables;
    const ends = [schedules, scheduleStates].map((table) => table.observe((ids) => listener([...ids])));
    return () => {
      for (const end of ends) end();
    };
  }

  /** Undefined when there is none. */
  record(id: string): ScheduleRecord | undefined {
    const { tables, wakes } = this.#parts;
    const row = tables.schedules.get(id);
    return row && recordOf(row, tables.scheduleStates.get(id), wakes.dueMs(id));
  }

  list(args: Args<'sched.list'>, { identity }: Caller): { schedules: ScheduleRecord[]; count: number } {
    const { ownerUid, includeDisabled = true, limit = LIST.usual, offset = 0 } = args;
    if (ownerUid !== undefined && ownerUid !== identity.uid && identity.uid !== ROOT_UID)
      throw new SyscallError(403, 'Permission denied');
    const wanted = this.rows(identity.uid === ROOT_UID ? ownerUid : identity.uid).filter(
      ({ enabled }) => enabled || includeDisabled,
    );
    const shown = wanted.slice(offset, offset + Math.min(limit, LIST.most));
    return { schedules: shown.flatMap(({ id }) => this.record(id) ?? []), count: wanted.length };
  }

  /** Newest first. */
  history(id: string, caller: Caller, limit = KEPT_RUNS): ScheduleRun[] {
    return this.runsOf(this.demand(id, caller).id).slice(0, limit);
  }

  /** The runs of a schedule that are remembered, newest first. */
  runsOf(id: string): ScheduleRun[] {
    const { scheduleRuns } = this.#parts.tables;
    const runs = Array.from({ length: KEPT_RUNS }, (_, slot) => scheduleRuns.get(`${id}/${slot}`));
    return runs
      .flatMap((row) => {
        if (!row) return [];
        const { scheduleId: _, ...run } = row;
        return [run];
      })
      .sort((a, b) => b.n - a.n);
  }

  /** Schedules whose last tick told this process something under an id that fits. */
  toldLast(pid: string, fits: (messageId: string) => boolean): string[] {
    return this.#parts.tables.scheduleStates.rows().flatMap(({ scheduleId, lastPid, lastMessageId }) => {
      return lastPid === pid && lastMessageId !== null && fits(lastMessageId) ? [scheduleId] : [];
    });
  }

  /**
   * Queued to disk, not yet flushed. What it does, when and on whose behalf is one: who changes that apart from another
   * changes all of it.
   */
  put(row: ScheduleRow): void {
    const { schedules } = this.#parts.tables;
    const known = schedules.get(row.id);
    if (known && same(workOf(known), workOf(row))) schedules.patch(row.id, row);
    else schedules.put(row.id, row);
  }

  /** A further schedule as it would be stored. Throws 400, 403, 404 and 429. */
  async made(args: Args<'sched.add'>, caller: Caller): Promise<ScheduleRow> {
    const { clock, random } = this.#parts;
    const { uid } = caller.identity;
    if (this.rows(uid).length >= MOST_SCHEDULES)
      throw new SyscallError(429, `There are ${MOST_SCHEDULES} schedules already`);
    const now = clock.now();
    const { name, description = null, enabled = true, expression, target, misfirePolicy = 'run-once' } = args;
    const row: ScheduleRow = {
      id: random.uuid(),
      ownerUid: uid,
      name,
      description,
      enabled,
      expression: normalExpression(expression),
      armedAtMs: now,
      target,
      misfirePolicy,
      retry: args.retry ?? (target.kind === 'shell.exec' ? NO_RETRY : DEFAULT_RETRY),
      author: authorOf(caller),
      createdAtMs: now,
      updatedAtMs: now,
    };
    this.#checkExpression(row);
    await this.#checkTarget(row);
    return row;
  }

  /** A changed schedule as it would be stored. Throws as `made`. */
  async changed({ id, patch }: Args<'sched.update'>, caller: Caller): Promise<ScheduleRow> {
    const row = this.demand(id, caller);
    const now = this.#parts.clock.now();
    const { expression = row.expression, ...rest } = patch;
    const next: ScheduleRow = {
      ...row,
      ...rest,
      expression: normalExpression(expression),
      author: changedBy(row, patch, caller),
      updatedAtMs: now,
    };
    const rearmed = next.enabled && (!row.enabled || !same(next.expression, row.expression));
    if (rearmed || patch.expression) this.#checkExpression(next);
    if (patch.target || next.author !== row.author) await this.#checkTarget(next);
    return rearmed ? { ...next, armedAtMs: now } : next;
  }

  /** With its history. False when there is none. */
  remove(id: string): boolean {
    const { schedules, scheduleStates, scheduleRuns } = this.#parts.tables;
    scheduleStates.delete(id);
    for (let slot = 0; slot < KEPT_RUNS; slot += 1) scheduleRuns.delete(`${id}/${slot}`);
    return schedules.delete(id);
  }

  /** Undefined when there is none of the caller's. */
  find(id: string, { identity }: Pick<Caller, 'identity'>): ScheduleRow | undefined {
    const row = this.#parts.tables.schedules.get(id);
    return row && (row.ownerUid === identity.uid || identity.uid === ROOT_UID) ? row : undefined;
  }

  demand(id: string, caller: Pick<Caller, 'identity'>): ScheduleRow {
    const row = this.find(id, caller);
    if (!row) throw new SyscallError(404, 'Schedule not found');
    return row;
  }

  #checkExpression({ expression }: ScheduleRow): void {
    const problem = expressionProblem(expression, this.#parts.clock.now());
    if (problem !== null)
      throw new SyscallError(400, `This schedule cannot be: ${problem}`, {
        details: { path: '/expression' },
      });
  }

  async #checkTarget(row: ScheduleRow): Promise<void> {
    const { target, author } = row;
    const { name } = targetCall(target, row);
    const caller = principal(this.#parts, row, author);
    if ('pid' in target) this.#parts.processes.demand(target.pid, caller.identity);
    await demandAllowed(this.#parts, caller, name, target);
  }
}

/**
 * An agent answers for what it changes, unless it switches off; a person does for what they say it does, not for
 * switching it on.
 */
function changedBy(
  { author }: ScheduleRow,
  patch: Args<'sched.update'>['patch'],
  caller: Caller,
): ScheduleRow['author'] {
  const by = authorOf(caller);
  if (by.kind === 'person') return patch.target ? by : author;
  const offAlone = patch.enabled === false && Object.keys(patch).length === 1;
  return offAlone || (author.kind === 'agent' && author.pid === by.pid) ? author : by;
}

function workOf({ name, description, enabled, armedAtMs, updatedAtMs, ...work }: ScheduleRow): object {
  return work;
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
