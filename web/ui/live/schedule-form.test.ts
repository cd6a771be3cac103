import { describe, expect, test } from 'vitest';
import type { ScheduleExpression, ScheduleTarget } from '../../../shared/syscalls/sched.ts';
import {
  expressionOf,
  firesOf,
  formOf,
  newForm,
  retriesInWords,
  type ScheduleForm,
  settingsOf,
} from './schedule-form.ts';
import { fromNow, inOrder, type LiveSchedule, momentIn, scheduleTone } from './schedules.ts';

const NOW = Date.UTC(2026, 10, 22, 10, 20);
const ZONE = 'Europe/Berlin';
const HOME = 'init:1000';
const form = (changes: Partial<ScheduleForm> = {}): ScheduleForm => ({
  ...newForm(NOW, ZONE, HOME),
  text: 'look at my mail',
  ...changes,
});

const schedule = (
  expression: ScheduleExpression,
  target: ScheduleTarget = { kind: 'shell.exec', input: 'date' },
): LiveSchedule => ({
  id: 'a',
  ownerUid: 1000,
  name: 'a',
  enabled: true,
  expression,
  target,
  overlapPolicy: 'skip',
  misfirePolicy: 'skip',
  retry: { limit: 0, backoffMs: 1000 },
  author: { kind: 'person' },
  createdAtMs: NOW,
  updatedAtMs: NOW,
  state: {
    nextRunAtMs: NOW + 3_600_000,
    runningAtMs: null,
    lastRunAtMs: null,
    lastStatus: null,
    lastError: null,
    lastDurationMs: null,
    runCount: 0,
    missed: null,
    retryAtMs: null,
  },
});

describe('the editor of schedules', () => {
  test('[U140] plain choices are what they say, in the chosen zone', () => {
    expect(expressionOf(form(), NOW)).toEqual({ kind: 'cron', expr: '0 9 * * 1-5', timezone: ZONE });
    expect(expressionOf(form({ days: [0, 6], time: '18:30' }), NOW)).toMatchObject({ expr: '30 18 * * 0,6' });
    expect(expressionOf(form({ when: 'every', count: '2', unit: 'hours' }), NOW)).toEqual({
      kind: 'every',
      everyMs: 7_200_000,
    });
    expect(expressionOf(form({ when: 'once', once: '2026-11-22T12:00' }), NOW)).toEqual({
      kind: 'at',
      atMs: Date.UTC(2026, 10, 22, 11),
    });
    expect(newForm(NOW, ZONE, HOME).once).toBe('2026-11-22T13:00');
  });

  test('[U141] it says when it fires next, three times, or what is wrong and where', () => {
    const words = firesOf(form(), NOW, 3).map(
      (ms) => `${momentIn(ms, ZONE, NOW).replaceAll(',', '')} ${fromNow(ms, NOW)}`,
    );
    expect(words).toEqual([
      'Mon 23 Nov 09:00 in 22 hours',
      'Tue 24 Nov 09:00 in 2 days',
      'Wed 25 Nov 09:00 in 3 days',
    ]);
    const wrong = (changes: Partial<ScheduleForm>) => settingsOf(form(changes), NOW);
    expect(wrong({ text: ' ' })).toEqual({ field: 'text', words: 'Write what it should be told' });
    expect(wrong({ when: 'cron', cron: '0 0 30 2 *' })).toMatchObject({
      field: 'when',
      words: expect.stringContaining('never'),
    });
    expect(wrong({ when: 'every', count: 'a few' })).toMatchObject({
      words: 'How many minutes? Write a whole number',
    });
    expect(wrong({ when: 'once', once: '2026-11-22T10:00' })).toMatchObject({ words: 'This time is past' });
    expect(wrong({ days: [] })).toMatchObject({ words: 'Choose at least one day' });
    expect(wrong({ zone: 'Nowhere' })).toMatchObject({ words: 'There is no time zone Nowhere' });
    expect(firesOf(form({ zone: 'Nowhere' }), NOW, 3)).toEqual([]);
  });

  const shapes: [ScheduleExpression, Partial<ScheduleForm>][] = [
    [
      { kind: 'cron', expr: '5 7 * * *', timezone: 'UTC' },
      { when: 'days', time: '07:05', zone: 'UTC', days: [0, 1, 2, 3, 4, 5, 6] },
    ],
    [
      { kind: 'cron', expr: '0 9 1 * *', timezone: ZONE },
      { when: 'cron', cron: '0 9 1 * *' },
    ],
    [
      { kind: 'every', everyMs: 86_400_000 },
      { when: 'every', count: '1', unit: 'days' },
    ],
    [
      { kind: 'at', atMs: Date.UTC(2026, 11, 24, 17) },
      { when: 'once', once: '2026-12-24T18:00' },
    ],
    [
      { kind: 'after', afterMs: 3_600_000 },
      { when: 'once', once: '2026-11-22T12:20' },
    ],
  ];
  test.each(shapes)('[U142] a schedule is opened as it is: %j', (expression, expected) => {
    expect(formOf(schedule(expression), NOW, ZONE, HOME)).toMatchObject({
      ...expected,
      does: 'run',
      missed: 'skip',
    });
  });

  test('[U142] what the editor does not show, and a time left alone, stay as they are', () => {
    const target: ScheduleTarget = { kind: 'process.event', pid: 'task:1', message: 'hello', data: { a: 1 } };
    const one = schedule({ kind: 'every', everyMs: 90_000, anchorMs: 5 }, target);
    const opened = formOf(one, NOW, ZONE, HOME);
    const changed = settingsOf({ ...opened, text: 'good day', name: 'b' }, NOW, { target, form: opened });
    expect(changed).toEqual({
      name: 'b',
      target: { ...target, message: 'good day' },
      misfirePolicy: 'skip',
      retry: { limit: 0, backoffMs: 60_000 },
    });
  });

  const targets: [ScheduleTarget, Partial<ScheduleForm>, ScheduleTarget][] = [
    [
      { kind: 'process.event', pid: 'a', message: 'look', unlessEmpty: '~/HEARTBEAT.md', data: { a: 1 } },
      { onlyIf: '' },
      { kind: 'process.event', pid: 'a', message: 'look', data: { a: 1 } },
    ],
    [
      { kind: 'process.spawn', prompt: 'sum up', label: 'Digest' },
      { asks: 'me' },
      { kind: 'process.spawn', prompt: 'sum up', label: 'Digest', profile: 'task' },
    ],
    [
      { kind: 'process.spawn', prompt: 'sum up', profile: 'review' },
      { text: 'read' },
      { kind: 'process.spawn', prompt: 'read', profile: 'review' },
    ],
    [
      { kind: 'shell.exec', input: 'date', target: 'laptop', cwd: '/srv' },
      { target: '', cwd: ' ' },
      { kind: 'shell.exec', input: 'date' },
    ],
    [
      { kind: 'process.lifecycle', pid: 'a', action: 'compact', options: { keepLast: 9 } },
      { pid: 'b' },
      { kind: 'process.lifecycle', pid: 'b', action: 'compact', options: { keepLast: 9 } },
    ],
    [
      { kind: 'process.lifecycle', pid: 'a', action: 'compact', options: { keepLast: 9 } },
      { care: 'checkpoint' },
      { kind: 'process.lifecycle', pid: 'a', action: 'checkpoint' },
    ],
  ];
  test.each(targets)(
    '[U268] what a schedule does is changed, and the rest stays: %j',
    (target, change, made) => {
      const one = schedule({ kind: 'every', everyMs: 90_000 }, target);
      const opened = formOf(one, NOW, ZONE, HOME);
      expect(settingsOf(opened, NOW, { target, form: opened })).toMatchObject({ target });
      expect(settingsOf({ ...opened, ...change }, NOW, { target, form: opened })).toMatchObject({
        name: 'a',
      });
      const settings = settingsOf({ ...opened, ...change }, NOW, { target, form: opened });
      expect('target' in settings && settings.target).toEqual(made);
    },
  );

  test('[U268] trying again is opened, changed and said in words', () => {
    const one = {
      ...schedule({ kind: 'every', everyMs: 3_600_000 }),
      retry: { limit: 3, backoffMs: 300_000 },
    };
    const opened = formOf(one, NOW, ZONE, HOME);
    expect(opened).toMatchObject({ tries: 3, waitMs: 300_000 });
    expect(retriesInWords(opened)).toBe('after 5 minutes, then after 10 minutes, then after 20 minutes');
    expect(retriesInWords({ tries: 10, waitMs: 3_600_000 })).toBe(
      'after 1 hour, then after 2 hours, then after 4 hours, then after 8 hours, and so on',
    );
    expect(retriesInWords({ tries: 0, waitMs: 1 })).toBe('');
    const changed = settingsOf({ ...opened, tries: 1 }, NOW);
    expect(changed).toMatchObject({ retry: { limit: 1, backoffMs: 300_000 } });
    const care = settingsOf(form({ does: 'care', care: 'reset', text: '' }), NOW);
    expect(care).toMatchObject({ name: 'Archive it and begin anew' });
  });

  test('[U143] those that fire soonest come first, and the state is told', () => {
    const [soon, off, done] = [
      schedule({ kind: 'every', everyMs: 1000 }),
      schedule({ kind: 'at', atMs: 1 }),
      schedule({ kind: 'at', atMs: 1 }),
    ];
    off.enabled = false;
    done.state.nextRunAtMs = null;
    expect(inOrder([off, done, soon])).toEqual([soon, done, off]);
    expect([soon, off, done].map(scheduleTone)).toEqual(['good', 'off', 'off']);
    expect([NOW - 1, NOW + 30_000, NOW + 90_000].map((ms) => fromNow(ms, NOW))).toEqual([
      'now',
      'in less than a minute',
      'in 2 minutes',
    ]);
  });
});
