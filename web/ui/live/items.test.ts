import { describe, expect, test } from 'vitest';
import type { MessageRow } from '../../../shared/state/conversation.ts';
import { type Item, transcriptItems } from './items.ts';
import { fromHistory } from './messages.ts';

const usage = (input: number, output: number, cost: number) => ({
  input,
  output,
  cacheRead: 0,
  cacheWrite: 0,
  cost,
});
const row = (id: number, extra: Partial<MessageRow>): MessageRow => ({
  id,
  generation: 0,
  role: 'user',
  content: [],
  timestamp: id * 1_000,
  runId: 'r1',
  ...extra,
});
const run: MessageRow[] = [
  row(1, { content: [{ type: 'text', text: 'hello' }] }),
  row(2, {
    role: 'assistant',
    usage: usage(10, 5, 0.01),
    content: [
      { type: 'thinking', thinking: 'hm' },
      { type: 'text', text: 'I look.' },
      { type: 'toolCall', id: 'c1', name: 'Read', arguments: {} },
    ],
  }),
  row(3, { role: 'toolResult', toolCallId: 'c1', content: [{ type: 'text', text: 'x' }] }),
  row(4, { role: 'assistant', usage: usage(20, 7, 0.02), content: [{ type: 'text', text: 'Done.' }] }),
];
const items = (
  rows: readonly MessageRow[],
  active: string | null,
  cache = new WeakMap<MessageRow, Item[]>(),
  costs = new Map(),
) => transcriptItems(rows, active, cache, costs);

describe('items', () => {
  test('[U130] an event is an entry of its own kind, and no words of the person', () => {
    const event = row(1, { origin: 'event', content: [{ type: 'text', text: '[Process Event]: a\nb' }] });
    expect(items([event], 'r1').map((item) => item.kind)).toEqual(['event']);
  });

  test('[U285] an answer that was cut and went on is one answer, and keeps its identity', () => {
    const said = (id: number, words: string, more: Partial<MessageRow> = {}) =>
      row(id, { role: 'assistant', content: [{ type: 'text', text: words }], ...more });
    const rows = [said(2, 'Once upon ', { stop: 'length' }), said(3, 'a time.')];
    const cache = new WeakMap<MessageRow, Item[]>();
    const [first, ...rest] = items(rows, 'r1', cache);
    expect(first).toMatchObject({ kind: 'answer', key: 'm0.2.0', text: 'Once upon a time.' });
    expect(rest).toEqual([]);
    expect(items(rows, 'r1', cache)[0]).toBe(first);
    const apart = [said(2, 'One', { stop: 'length' }), said(3, 'Two', { runId: 'r2' })];
    expect(items(apart, 'r2').filter(({ kind }) => kind === 'answer')).toHaveLength(2);
  });

  test('[U3] a message shows as its parts, a call as one card, and its result not by itself', () => {
    expect(items(run, 'r1').map((item) => item.kind)).toEqual([
      'user',
      'thinking',
      'answer',
      'call',
      'answer',
    ]);
  });

  test('[U4] a run that has ended is followed by the sum of what it cost; one that goes on is not', () => {
    const cost = items(run, null).at(-1);
    expect(cost).toMatchObject({
      kind: 'cost',
      cost: { runId: 'r1', usage: usage(30, 12, 0.03), durationMs: 3_000 },
    });
    expect(items(run, 'r1').some((item) => item.kind === 'cost')).toBe(false);
  });

  test('[U4] how long a run took is not guessed: one that was tried again has no message of its beginning', () => {
    expect(items(run.slice(1), null).at(-1)).toMatchObject({ kind: 'cost', cost: { durationMs: null } });
  });

  test('[U5] what did not change keeps its identity when a message is added', () => {
    const cache = new WeakMap<MessageRow, Item[]>();
    const costs = new Map();
    const before = items(run, null, cache, costs);
    const after = items([...run, row(5, { runId: 'r2' })], 'r2', cache, costs);
    expect(after.slice(0, before.length).every((item, place) => item === before[place])).toBe(true);
  });

  test('[U6] a message of the history reads as the live row of it does', () => {
    const { id, role, timestamp, content, runId, ...meta } = run[3] as MessageRow;
    expect(
      fromHistory({ id, role, timestamp, runId: 'r1', content: { blocks: content, ...meta } }, 0),
    ).toEqual(run[3]);
    expect(runId).toBe('r1');
    expect(
      fromHistory({ id: 1, role: 'user', content: [{ type: 'text', text: 'a' }, { type: 'odd' }, null] }, 2),
    ).toMatchObject({
      generation: 2,
      content: [{ type: 'text', text: 'a' }],
    });
  });
});
