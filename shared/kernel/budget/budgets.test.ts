import { describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { TestKernel, type TestPage } from '../../../tests/support/kernel.ts';
import { KernelPair } from '../../../tests/support/kernel-pair.ts';
import { ManualClock } from '../../../tests/support/manual-clock.ts';
import { realRandom } from '../../../tests/support/platform.ts';
import { calls, says } from '../../../tests/support/scripted-models.ts';
import { emptySystem } from '../../../tests/support/system-doc.ts';
import { systemTables } from '../../state/system.ts';
import { dayOf } from './day.ts';
import { UsageLedger } from './ledger.ts';

/** One scripted call costs $0.001 and 110 tokens. */
const working = () => calls({ name: 'Shell', args: { target: 'gsv', input: `echo ${realRandom.uuid()}` } });
const set = (page: TestPage, name: string, value: string) =>
  page.call('sys.config.set', { key: `users/1000/ai/budget/${name}`, value });
const lastNote = async (page: TestPage, pid?: string) => {
  const { messages } = await page.history(pid);
  const last = messages.at(-1)?.content as { blocks: { text: string }[]; budgets?: unknown[] };
  return { text: last.blocks?.[0]?.text ?? '', budgets: last.budgets };
};

describe('a budget', () => {
  test.each([
    ['run_tokens', '200', 'the budget of one run, 200 tokens, is used up (220 tokens)', 2],
    ['process_tokens', '100', 'the budget of this process, 100 tokens, is used up (110 tokens)', 1],
    ['day_cost', '0.002', 'the budget of the day, $0.0020, is used up ($0.0020)', 2],
    ['month_cost', '0.001', 'the budget of the month, $0.0010, is used up ($0.0010)', 1],
  ])(
    '[P300] %s stops a run before its next model call, and the note says which it was',
    async (name, limit, words, asked) => {
      const kernel = new TestKernel(working);
      const page = await kernel.ready();
      await set(page, name, limit);
      expect(await page.run('go')).toMatchObject({ status: 'error', error: expect.stringContaining(words) });
      expect(kernel.models.requests).toHaveLength(asked);
      expect(await lastNote(page)).toMatchObject({ text: expect.stringContaining(words), budgets: [{}] });
    },
  );

  test('[P301] day and month are of all processes of an account, and hold after a restart', async () => {
    const kernel = new TestKernel(() => says('done'));
    let page = await kernel.ready();
    await set(page, 'day_tokens', '200');
    await page.run('one');
    page = await kernel.restart();
    const spawned = await page.call('proc.spawn', { profile: 'task' });
    if (!spawned.ok) throw new Error(spawned.error);
    await page.run('two', spawned.pid);
    expect(await page.run('three', spawned.pid)).toMatchObject({ status: 'error' });
    expect(await page.run('four')).toMatchObject({ status: 'error' });
    expect(kernel.models.requests).toHaveLength(2);
    await set(page, 'day_tokens', '');
    expect(await page.run('five')).toMatchObject({ status: 'ok' });
  });

  test('[P302] a person lets the run use an amount more; it stops again when that is used', async () => {
    const kernel = new TestKernel(working);
    const page = await kernel.ready();
    await set(page, 'day_cost', '0.002');
    await set(page, 'process_tokens', '1000000');
    await page.run('go');
    const more = await page.call('proc.continue', { raise: { cost: 0.003 } });
    if (!more.ok) throw new Error(more.error);
    await page.finished(more.runId);
    expect(kernel.models.requests).toHaveLength(5);
    expect(await lastNote(page)).toMatchObject({
      text: expect.stringContaining('what you allowed this run, $0.0030'),
      budgets: [{ scope: 'raised', unit: 'cost', limit: 0.003 }],
    });
    expect(await page.run('another')).toMatchObject({ status: 'error', usage: { input: 0 } });
  });

  test('[P303] an agent raises no budget', async () => {
    const kernel = new TestKernel((_request, turn) =>
      turn === 0
        ? calls({
            name: 'Shell',
            args: { target: 'gsv', input: 'echo 9 > /sys/config/users/1000/ai/budget/day_cost' },
          })
        : says('done'),
    );
    const page = await kernel.ready();
    await page.call('sys.config.set', {
      key: 'users/1000/ai/tools/approval',
      value: '{"default":"auto","rules":[]}',
    });
    await set(page, 'day_cost', '1');
    await page.run('go');
    const result = JSON.stringify(kernel.models.requests.at(-1)?.messages.at(-1));
    expect(result).toMatch(/denied|read-only|EROFS|EACCES|not permitted/i);
    const { entries } = await page.call('sys.config.get', { key: 'users/1000/ai/budget/day_cost' });
    expect(entries[0]?.value).toBe('1');
  });
});

describe('what was used', () => {
  test('[P304] it is told by day, process and model, with the budgets and what is used of them', async () => {
    const kernel = new TestKernel(() => says('done'));
    const page = await kernel.ready();
    await set(page, 'month_cost', '2');
    await page.run('one');
    await page.run('two');
    const usage = await page.call('proc.usage', {});
    expect(usage.rows).toMatchObject([
      {
        day: usage.today,
        pid: 'init:1000',
        label: 'Home',
        provider: 'scripted',
        model: 'one',
        calls: 2,
        input: 200,
        output: 20,
      },
    ]);
    expect(usage.rows[0]?.cost).toBeCloseTo(0.002);
    expect(usage.budgets).toMatchObject([
      { scope: 'run', unit: 'cost', limit: 5, used: null },
      { scope: 'month', unit: 'cost', limit: 2 },
    ]);
    expect(usage.budgets[1]?.used).toBeCloseTo(0.002);
    expect((await page.call('proc.usage', { pid: 'init:1001' })).rows).toEqual([]);
  });

  test('[P305] nobody is told of another account', async () => {
    const kernel = new TestKernel(() => says('done'));
    const page = await kernel.ready();
    await page.run('one');
    const eve = await kernel.addAccount({ uid: 1001, username: 'eve', gids: [100] });
    await kernel.restart();
    const theirs = await kernel.signedIn(eve);
    expect((await theirs.call('proc.usage', {})).rows).toEqual([]);
    await expect(theirs.call('proc.usage', { pid: 'init:1000' })).rejects.toThrow(/denied/);
    expect(await theirs.call('proc.continue', { pid: 'init:1000' })).toMatchObject({ ok: false });
  });

  test('[P306] two browsers that count apart lose nothing when they meet', async () => {
    const pair = await KernelPair.start(() => says('done'));
    const { a, b } = pair.pages;
    pair.hosts.a.cut();
    pair.hosts.b.cut();
    for (const [page, text] of [
      [a, 'one'],
      [b, 'two'],
      [b, 'three'],
    ] as const) {
      const spawned = await pair.passing(page.call('proc.spawn', { profile: 'task' }));
      if (!spawned.ok) throw new Error(spawned.error);
      await pair.passing(page.run(text, spawned.pid));
    }
    pair.hosts.a.mend();
    pair.hosts.b.mend();
    const sum = async (page: TestPage) => {
      const { rows } = await page.call('proc.usage', {});
      return rows.reduce((calls, row) => calls + row.calls, 0);
    };
    await pair.until(async () => (await sum(a)) === 3 && (await sum(b)) === 3, 'both know of three calls');
  });

  test('[P306] sums of rows that replicas wrote apart are whole, in whatever order they arrive', () => {
    for (let seed = 1; seed <= 50; seed += 1) {
      const docs = [new Y.Doc(), new Y.Doc(), new Y.Doc()];
      const clock = new ManualClock();
      const ledgers = docs.map(
        (doc, at) =>
          new UsageLedger({
            tables: systemTables({ ...emptySystem(), system: doc }),
            self: { index: at },
            clock,
            timezone: () => 'UTC',
          }),
      );
      let state = seed;
      const next = (below: number): number => {
        state = (state * 48271) % 2147483647;
        return state % below;
      };
      let tokens = 0;
      for (let step = 0; step < 40; step += 1) {
        const from = docs[next(3)];
        const to = docs[next(3)];
        if (next(3) === 0 && from && to) Y.applyUpdate(to, Y.encodeStateAsUpdate(from));
        const input = next(100);
        tokens += input;
        const used = { input, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0 };
        ledgers[next(3)]?.count({ uid: 1, pid: 'p' }, { provider: 'x', model: 'm' }, used);
      }
      for (const to of docs) for (const from of docs) Y.applyUpdate(to, Y.encodeStateAsUpdate(from));
      for (const ledger of ledgers) expect(ledger.spent({ uid: 1 }).tokens, `seed ${seed}`).toBe(tokens);
    }
  });

  test('[P307] a day begins at midnight where the GSV is, and rows are kept for 400 days', () => {
    const late = Date.parse('2026-03-01T23:30:00Z');
    expect([dayOf(late, 'UTC'), dayOf(late, 'Europe/Berlin'), dayOf(late, 'No/Where')]).toEqual([
      '2026-03-01',
      '2026-03-02',
      '2026-03-01',
    ]);
    const clock = new ManualClock();
    const ledger = new UsageLedger({
      tables: systemTables(emptySystem()),
      self: { index: 0 },
      clock,
      timezone: () => 'UTC',
    });
    const used = { input: 1, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0 };
    const count = () => ledger.count({ uid: 1, pid: 'p' }, { provider: 'x', model: 'm' }, used);
    count();
    clock.jump(399 * 86_400_000);
    count();
    expect(ledger.spent({ uid: 1 }).tokens).toBe(2);
    clock.jump(3 * 86_400_000);
    count();
    expect(ledger.spent({ uid: 1 }).tokens).toBe(2);
  });
});
