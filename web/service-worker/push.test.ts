import { expect, test } from 'vitest';
import { noticeOf } from './push.ts';

test('[U165] a message becomes a notification that says what kind of news it is, and leads there', () => {
  const text = JSON.stringify({ id: 'run:1', kind: 'finished', pid: 'task:1', waiting: 2 });
  const { title, options, waiting } = noticeOf(text);
  expect([title, options.tag, waiting]).toEqual(['GSV has finished', 'run:1', 2]);
  expect(options.data).toEqual({ open: '/chat/task%3A1' });
  expect(options.actions).toEqual([]);
});

test('[U165] a question can be approved from it; which one is meant is in it', () => {
  const { options } = noticeOf(JSON.stringify({ id: 'approval:9', kind: 'approval', pid: 'p', waiting: 1 }));
  expect(options.actions?.map(({ action }) => action)).toEqual(['open', 'approve']);
  expect(options.data.approve).toEqual({ pid: 'p', notificationId: 'approval:9' });
});

test('[U165] a message that cannot be read still shows something, and says nothing', () => {
  for (const text of ['', '{', '{"kind":"x"}', '[]'])
    expect(noticeOf(text)).toMatchObject({ title: 'There is news in GSV', waiting: 0 });
});
