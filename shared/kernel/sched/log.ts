import type { ScheduleRow } from '../../state/schedules.ts';
import type { ScheduleRun } from '../../syscalls/sched.ts';

type Named = { row: Pick<ScheduleRow, 'id' | 'name'>; run: ScheduleRun };

/** Runs of schedules as lines of a log, oldest first: when, what became of it, how long, which, why. */
export function logText(runs: readonly Named[]): string {
  return [...runs]
    .sort((a, b) => a.run.startedAtMs - b.run.startedAtMs)
    .map(({ row, run }) => `${line(row, run)}\n`)
    .join('');
}

function line(
  { id, name }: Named['row'],
  { startedAtMs, status, durationMs, cause, note, pid }: ScheduleRun,
): string {
  const words = [
    new Date(startedAtMs).toISOString(),
    status,
    cause,
    `${(durationMs / 1000).toFixed(1)}s`,
    id,
  ];
  const about = pid === null ? [] : [`pid=${pid}`];
  return [...words, JSON.stringify(name), ...about, oneLine(note)].join(' ').trimEnd();
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' | ');
}
