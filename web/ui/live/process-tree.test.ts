import { describe, expect, test } from 'vitest';
import { treeMove, treeRows } from './process-tree.ts';
import { childrenWords, processSentence, taskWords } from './process-words.ts';
import type { LiveProcess } from './processes.ts';

const process = (pid: string, parentPid: string | null, more: Partial<LiveProcess> = {}): LiveProcess => ({
  pid,
  parentPid,
  uid: 1000,
  gid: 100,
  gids: [100],
  username: 'ada',
  home: '/home/ada',
  cwd: '/home/ada',
  profile: pid.startsWith('init') ? 'init' : 'task',
  label: pid,
  workspaceId: null,
  contextFiles: [],
  state: 'idle',
  activity: null,
  conversationId: 'default',
  generation: 0,
  queuedCount: 0,
  createdAt: 1,
  updatedAt: 1,
  ...more,
});
const all = [
  process('b', 'a', { createdAt: 3 }),
  process('old', null, { createdAt: 2 }),
  process('new', null, { createdAt: 9 }),
  process('init:1', null),
  process('a', 'init:1', { createdAt: 2, state: 'running' }),
  process('c', 'init:1', { createdAt: 4 }),
  process('orphan', 'gone', { createdAt: 1 }),
];
const shown = (rows: ReturnType<typeof treeRows>) =>
  rows.map(({ process: { pid }, level }) => `${level} ${pid}`);

describe('the tree of processes', () => {
  test('[U131] stands below each other as they were made, the lasting one first; what is closed is left out', () => {
    const rows = treeRows(all, () => true);
    expect(shown(rows)).toEqual(['1 init:1', '2 a', '3 b', '2 c', '1 new', '1 old', '1 orphan']);
    expect(rows[0]?.below.map(({ pid }) => pid)).toEqual(['a', 'b', 'c']);
    expect([rows[3]?.place, rows[3]?.size]).toEqual([2, 2]);
    expect(shown(treeRows(all, (pid) => pid !== 'a'))).toEqual([
      '1 init:1',
      '2 a',
      '2 c',
      '1 new',
      '1 old',
      '1 orphan',
    ]);
  });

  test('[U131] rows that name each other as parents are no trap', () => {
    const ring = [process('x', 'y'), process('y', 'x'), process('z', 'z')];
    expect(shown(treeRows(ring, () => true))).toEqual(['1 z']);
  });

  test('[U132] arrow keys move, open and close', () => {
    const rows = treeRows(all, () => true);
    expect(treeMove(rows, 'init:1', 'ArrowDown')).toEqual({ focus: 'a' });
    expect(treeMove(rows, 'a', 'ArrowUp')).toEqual({ focus: 'init:1' });
    expect(treeMove(rows, 'a', 'ArrowRight')).toEqual({ focus: 'b' });
    expect(treeMove(rows, 'b', 'ArrowLeft')).toEqual({ focus: 'a' });
    expect(treeMove(rows, 'a', 'ArrowLeft')).toEqual({ close: 'a' });
    expect(treeMove(rows, 'c', 'ArrowRight')).toBeNull();
    expect(treeMove(rows, 'c', 'Home')).toEqual({ focus: 'init:1' });
    expect(treeMove(rows, 'c', 'End')).toEqual({ focus: 'orphan' });
    expect(treeMove(rows, 'init:1', 'ArrowUp')).toBeNull();
    expect(
      treeMove(
        treeRows(all, () => false),
        'init:1',
        'ArrowRight',
      ),
    ).toEqual({ open: 'init:1' });
  });

  test('[U133] a row says what its process does, whom it waits for, and how its task stands', () => {
    const row = process('a', null, {
      state: 'running',
      activity: 'thinking',
      waitsFor: ['b'],
      queuedCount: 2,
    });
    expect(processSentence(row, (pid) => `“${pid}”`)).toBe('running · thinking · 2 queued · waits for “b”');
    expect(childrenWords([row])).toBe('1 child, 1 at work');
    expect(childrenWords([process('x', null), process('y', null)])).toBe('2 children');
    const task = { callId: 'c', deadlineAt: 60_000, endedAt: null };
    expect(taskWords({ ...row, task }, 0)).toMatch(/^until /);
    expect(taskWords({ ...row, task: { ...task, outcome: 'timeout' } }, 0)).toBe('out of time');
    expect(taskWords(row, 0)).toBeNull();
  });
});
