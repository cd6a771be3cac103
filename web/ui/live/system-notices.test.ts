import { expect, test } from 'vitest';
import { pathOf, waitingCount } from './system-notices.ts';

const about = (pid: string | null, readAt: number | null = null) => ({
  readAt,
  actions: [],
  source: pid === null ? ({ kind: 'user' } as const) : ({ kind: 'process', processId: pid } as const),
});

test('[U232] the badge counts each process that asks, and unread news of anything else', () => {
  const processes = [
    { pid: 'a', state: 'waiting' as const },
    { pid: 'b', state: 'running' as const },
  ];
  expect(waitingCount(processes, [about('a'), about('b'), about(null), about('b', 5)])).toBe(3);
  expect(waitingCount([], [about('a', 1)])).toBe(0);
});

test('[U233] a notification leads to the conversation of its process, and nowhere without one', () => {
  expect([pathOf(about('task:1')), pathOf(about(null))]).toEqual(['/chat/task%3A1', null]);
  const failed = { ...about(null), actions: [{ kind: 'schedule.show', label: 'Show', target: 'a/1' }] };
  expect(pathOf(failed)).toBe('/schedules/a%2F1');
});
