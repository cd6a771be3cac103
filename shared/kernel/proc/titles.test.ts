import { describe, expect, test } from 'vitest';
import { TestKernel, type TestPage } from '../../../tests/support/kernel.ts';
import { ManualClock } from '../../../tests/support/manual-clock.ts';
import { fails, type Script, says } from '../../../tests/support/scripted-models.ts';
import { deferred } from '../../std/deferred.ts';
import { ASK_TITLE, asTitle } from '../agent/title.ts';

async function world(title: Script = () => says('A walk in the park')) {
  const clock = new ManualClock();
  clock.jump(Date.UTC(2026, 0, 1, 8));
  const asks: string[] = [];
  const kernel = new TestKernel(
    (request, turn) => {
      if (request.system !== ASK_TITLE) return says('Take an umbrella.');
      asks.push(JSON.stringify(request));
      return title(request, turn);
    },
    { clock },
  );
  kernel.models.titles = true;
  const page = await kernel.ready();
  return { clock, kernel, page, asks, idle: () => clock.advance(3_000) };
}

async function spawned(page: TestPage, label?: string): Promise<string> {
  const made = await page.call('proc.spawn', { profile: 'task', ...(label ? { label } : {}) });
  if (!made.ok) throw new Error(made.error);
  return made.pid;
}

async function labelOf(page: TestPage, pid: string): Promise<string | null | undefined> {
  const { processes } = await page.call('proc.list', {});
  return processes.find((row) => row.pid === pid)?.label;
}

async function titleOf(page: TestPage, conversationId: string): Promise<string | null | undefined> {
  const got = await page.call('proc.conversation.get', { conversationId });
  return got.ok ? got.conversation?.title : undefined;
}

/** Runs one message in a conversation of the lasting process. */
async function say(page: TestPage, conversationId: string, message = 'what shall I wear?'): Promise<void> {
  const sent = await page.call('proc.send', { conversationId, message });
  if (!sent.ok) throw new Error(sent.error);
  await page.finished(sent.runId);
}

describe('titles', () => {
  test('[P406] a process and a conversation get one after the first answer, once, and it is counted', async () => {
    const { page, asks, idle } = await world();
    const pid = await spawned(page);
    await page.run('what shall I wear?\nIt rains.', pid);
    expect(await labelOf(page, pid)).toBe('what shall I wear?');
    const before = await page.call('proc.usage', {});
    await idle();
    expect(await labelOf(page, pid)).toBe('A walk in the park');
    expect(asks).toHaveLength(1);
    expect(asks[0]).toContain('umbrella');
    const after = await page.call('proc.usage', {});
    expect(JSON.stringify(after)).not.toBe(JSON.stringify(before));
    await page.run('and tomorrow?', pid);
    await page.call('proc.conversation.open', { conversationId: 'other' });
    await say(page, 'other');
    await say(page, 'default');
    await idle();
    expect([await titleOf(page, 'other'), await titleOf(page, 'default')]).toEqual([
      'A walk in the park',
      null,
    ]);
    expect(asks).toHaveLength(2);
  });

  test('[P406] nothing is asked while something of the process goes on', async () => {
    const { page, asks, kernel, idle } = await world();
    const pid = await spawned(page);
    await page.run('first', pid);
    const held = deferred<void>();
    const { script } = kernel.models;
    kernel.models.script = async (request, turn) => {
      if (request.system !== ASK_TITLE) await held.promise;
      return script(request, turn);
    };
    const { runId } = await page.send('second', pid);
    await idle();
    expect(asks).toHaveLength(0);
    held.resolve();
    await page.finished(runId);
    await idle();
    expect(await labelOf(page, pid)).toBe('A walk in the park');
  });

  test('[P407] a name that a person gave stays, also one given while the model thought', async () => {
    const thinks = deferred<void>();
    const { page, asks, idle } = await world(async () => {
      await thinks.promise;
      return says('Something else');
    });
    const named = await spawned(page, 'Clothes');
    await page.run('what shall I wear?', named);
    await page.call('proc.conversation.open', { conversationId: 'mine', title: 'Mine' });
    await page.call('proc.conversation.open', { conversationId: 'late' });
    await say(page, 'mine');
    await say(page, 'late');
    await idle();
    expect(asks).toHaveLength(1);
    await page.call('proc.conversation.open', { conversationId: 'late', title: 'Named meanwhile' });
    thinks.resolve();
    await idle();
    expect(await labelOf(page, named)).toBe('Clothes');
    expect([await titleOf(page, 'mine'), await titleOf(page, 'late')]).toEqual(['Mine', 'Named meanwhile']);
  });

  test('[P408] none is asked for where it is not wanted, dear, or would leave this device', async () => {
    const { page, asks, idle } = await world();
    const set = (key: string, value: string) =>
      page.call('sys.config.set', { key: `users/1000/${key}`, value });
    const talk = async (conversationId: string): Promise<void> => {
      await page.call('proc.conversation.open', { conversationId });
      await say(page, conversationId);
    };
    await set('ai/titles', 'off');
    await talk('off');
    await idle();
    await set('ai/titles', 'on');
    await talk('over');
    await set('ai/budget/day_tokens', '1');
    await idle();
    await set('ai/budget/day_tokens', '');
    await talk('kept');
    await page.call('proc.conversation.pin', { conversationId: 'kept', private: true });
    await idle();
    expect(asks).toHaveLength(0);
    await talk('wanted');
    await idle();
    expect(asks).toHaveLength(1);
  });

  test('[P408] one that failed is asked for once more, and nobody is told', async () => {
    const { page, asks, idle } = await world(() => fails('overloaded', true));
    const pid = await spawned(page);
    for (const message of ['one', 'two', 'three', 'four']) {
      await page.run(message, pid);
      await idle();
    }
    expect(asks).toHaveLength(2);
    expect(await labelOf(page, pid)).toBe('one');
    expect(JSON.stringify((await page.history(pid)).messages)).not.toContain('overloaded');
  });

  test('[P406] what the model makes of it becomes one line of plain words', () => {
    expect(asTitle('"**A walk in the park.**"\nAnd more')).toBe('A walk in the park');
    expect(asTitle('# Title: Rain\u202e and\u0007 shine')).toBe('Rain  and  shine');
    expect(asTitle('  „Ein Spaziergang“ ')).toBe('Ein Spaziergang');
    expect(asTitle('\n')).toBeNull();
    expect(asTitle('word '.repeat(40))).toHaveLength(60);
  });
});
