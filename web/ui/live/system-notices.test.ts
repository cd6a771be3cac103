import { expect, test } from 'vitest';
import { noticeOf } from '../../service-worker/push.ts';
import { pathOf, shownAs, waitingCount } from './system-notices.ts';

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

test('[U233] a question is approved from what the page shows as from what was pushed: they replace each other', () => {
  const record = {
    notificationId: 'approval:9',
    title: 'Home waits',
    level: 'warning' as const,
    createdAt: 1,
    dismissedAt: null,
    expiresAt: null,
    ...about('task:1'),
  };
  const pushed = noticeOf(
    JSON.stringify({ id: 'approval:9', kind: 'approval', pid: 'task:1', waiting: 1 }),
  ).options;
  const { tag, data, actions } = shownAs(record);
  expect({ tag, data, actions }).toEqual({ tag: pushed.tag, data: pushed.data, actions: pushed.actions });
  expect(actions).toHaveLength(2);
});
