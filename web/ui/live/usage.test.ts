import { expect, test } from 'vitest';
import { byDay, byModel, byProcess, hasUnpriced, sumOf, type UsageRow, unitOf } from './usage.ts';
import { costWords, offered, readAmount, runCostWords } from './usage-words.ts';

const row = (day: string, pid: string, input: number, cost: number): UsageRow => ({
  day,
  pid,
  label: pid === 'a' ? 'Home' : null,
  provider: 'p',
  model: 'm',
  calls: 1,
  input,
  output: 1,
  cacheRead: 0,
  cacheWrite: 0,
  cost,
});
const rows = [row('2026-03-02', 'a', 10, 0.5), row('2026-03-02', 'b', 5, 0.75), row('2026-02-28', 'a', 1, 0)];

test('[U231] days without a call are 0, and groups have the most expensive first', () => {
  const days = byDay({ rows, today: '2026-03-02', budgets: [] }, 4);
  expect(days.map(({ key, tokens, cost }) => [key, tokens, cost])).toEqual([
    ['2026-02-27', 0, 0],
    ['2026-02-28', 2, 0],
    ['2026-03-01', 0, 0],
    ['2026-03-02', 17, 1.25],
  ]);
  expect(byProcess(rows).map(({ name, cost, calls }) => [name, cost, calls])).toEqual([
    ['b', 0.75, 1],
    ['Home', 0.5, 2],
  ]);
  expect(byModel(rows)).toHaveLength(1);
  expect(sumOf([])).toEqual({ calls: 0, tokens: 0, cost: 0, unpriced: 0 });
});

test('[U231] a price that nobody knows is not shown as nothing', () => {
  expect([unitOf(rows), unitOf(rows.slice(2)), hasUnpriced(rows), hasUnpriced([])]).toEqual([
    'cost',
    'tokens',
    true,
    false,
  ]);
  const words = (cost: number, tokens: number, unpriced: number) => costWords({ cost, tokens, unpriced });
  expect([words(0, 5, 5), words(0, 0, 0)]).toEqual(['not known', '$0.00']);
});

test('[U286] what a model of this device has answered is free, and not of unknown price', () => {
  const here = { ...row('2026-03-02', 'a', 10, 0), provider: 'wllama', model: 'qwen3-0.6b' };
  expect(hasUnpriced([here])).toBe(false);
  expect(costWords(sumOf([here]))).toBe('free');
  expect(costWords(sumOf([here, ...rows.slice(2)]))).toBe('not known');
  expect(byModel([here])[0]?.name).toBe('qwen3-0.6b · on this device');
  expect([runCostWords(0, true), runCostWords(0, false), runCostWords(0.5, false)]).toEqual([
    'free, on this device',
    'not known',
    '$0.50',
  ]);
});

test('[U230] Continue offers an amount for each unit that is used up, and takes only amounts', () => {
  const budgets = [
    { scope: 'day', unit: 'cost', limit: 2, used: 2.1 },
    { scope: 'run', unit: 'cost', limit: 5, used: 5 },
    { scope: 'day', unit: 'tokens', limit: 10, used: 11 },
  ] as const;
  expect(offered(budgets)).toEqual({ cost: 2, tokens: 1000 });
  expect(offered([])).toEqual({});
  expect(['0.5', '0,5', '-1', '', 'x', '1e9'].map((text) => readAmount('cost', text))).toEqual([
    0.5,
    0.5,
    null,
    null,
    null,
    null,
  ]);
  expect(readAmount('tokens', '1000.4')).toBe(1000);
});
