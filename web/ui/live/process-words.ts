import { isActive } from '../../../shared/state/active.ts';
import { momentOfDay } from '../parts/words.ts';
import type { LiveProcess } from './processes.ts';

export const stateWords: Record<LiveProcess['state'], string> = {
  running: 'running',
  waiting: 'waiting for you',
  error: 'stopped by an error',
  idle: 'idle',
  killed: 'ended',
};

const kinds: Record<string, string> = {
  init: 'your lasting conversation',
  task: 'task',
  review: 'review, changes nothing',
  cron: 'started by a schedule',
  mcp: 'serves an integration',
  app: 'serves an app',
};

/** What a process of this profile is for. */
export function kindWords(profile: string): string {
  return kinds[profile] ?? profile;
}

/** Its state in words, what it does, what waits for it, and for whom it waits. */
export function processSentence(row: LiveProcess, titleOf: (pid: string) => string): string {
  const waitsFor = row.waitsFor ?? [];
  const parts = [
    stateWords[row.state],
    row.activity,
    row.queuedCount === 0 ? null : `${row.queuedCount} queued`,
    waitsFor.length === 0 ? null : `waits for ${waitsFor.map(titleOf).join(', ')}`,
  ];
  return parts.filter((part) => part !== null).join(' · ');
}

const outcomes: Record<NonNullable<NonNullable<LiveProcess['task']>['outcome']>, string> = {
  ok: 'done',
  error: 'failed',
  aborted: 'stopped',
  gone: 'not done',
  timeout: 'out of time',
};

/** How the work stands that it was made for; null when it was not made for one piece of work. */
export function taskWords(row: LiveProcess, now: number): string | null {
  if (!row.task) return null;
  if (row.task.outcome !== undefined) return outcomes[row.task.outcome];
  return `until ${momentOfDay(row.task.deadlineAt, now)}`;
}

/** `3 children, 1 at work`. */
export function childrenWords(below: readonly LiveProcess[]): string {
  const busy = below.filter(({ state }) => isActive(state)).length;
  const all = below.length === 1 ? '1 child' : `${below.length} children`;
  return busy === 0 ? all : `${all}, ${busy} at work`;
}
