import { describe, expect, test } from 'vitest';
import type { MessageRow } from '../../../shared/state/conversation.ts';
import { emptyTranscript, olderCount, olderPage, withLive, withOlder } from './transcript.ts';

const rows = (from: number, to: number, generation = 0): MessageRow[] =>
  Array.from({ length: to - from + 1 }, (_, place) => ({
    id: from + place,
    generation,
    role: 'user',
    content: [],
    timestamp: 0,
    runId: null,
  }));
const ids = (held: { rows: readonly MessageRow[] }): number[] => held.rows.map((row) => row.id);

describe('transcript', () => {
  test('[U1] older pages stand before the live rows, without gap or repetition', () => {
    const opened = withLive(emptyTranscript, rows(9, 12), 12);
    const older = withOlder(opened, rows(5, 9));
    expect(ids(older)).toEqual([5, 6, 7, 8, 9, 10, 11, 12]);
    expect(ids(withLive(older, rows(9, 13), 13))).toEqual([5, 6, 7, 8, 9, 10, 11, 12, 13]);
  });

  test('[U1] a conversation that was reset shows nothing of what it held', () => {
    const held = withOlder(withLive(emptyTranscript, rows(9, 12), 12), rows(5, 8));
    expect(withLive(held, [], 0)).toEqual({ rows: [], total: 0 });
    expect(ids(withLive(held, rows(13, 13, 1), 1))).toEqual([13]);
  });

  test('[U1] fetched rows are dropped when they no longer fit before the live ones', () => {
    const held = withOlder(withLive(emptyTranscript, rows(9, 12), 12), rows(5, 8));
    expect(ids(withLive(held, rows(9, 12), 5))).toEqual([9, 10, 11, 12]);
  });

  test('[U2] the next page is the one right before what is held, and ends at the first message', () => {
    const held = withLive(emptyTranscript, rows(251, 450), 450);
    expect(olderPage(held, 200)).toEqual({ offset: 50, limit: 200 });
    const more = withOlder(held, rows(51, 250));
    expect(olderPage(more, 200)).toEqual({ offset: 0, limit: 50 });
    const all = withOlder(more, rows(1, 50));
    expect(olderCount(all)).toBe(0);
    expect(olderPage(all, 200)).toBeNull();
  });
});
