import { describe, expect, test } from 'vitest';
import { Gate } from '../../../tests/support/gate.ts';
import { lines, problems } from '../../../tests/support/history.ts';
import { TestKernel, type TestPage } from '../../../tests/support/kernel.ts';
import { KernelPair } from '../../../tests/support/kernel-pair.ts';
import { calls, says } from '../../../tests/support/scripted-models.ts';
import { turns } from '../../../tests/support/turns.ts';

const PID = 'init:1000';
const tick = (messageId: string, text = 'the clock struck') => ({
  messageId,
  text,
  origin: 'event' as const,
});
const EVENT = 'user: [Process Event]: the clock struck';

/** A page of it, with the lasting process made. */
async function opened(kernel: TestKernel): Promise<TestPage> {
  const page = await kernel.ready();
  await page.history();
  // Brings it to the disk.
  await page.call('sys.config.set', { key: 'users/1000/ai/max_turns', value: '9' });
  return page;
}

/** A kernel whose model waits at a gate before each answer. */
function gated() {
  const gate = new Gate();
  const kernel = new TestKernel(async () => {
    await gate.pass();
    return says('heard');
  });
  return { gate, kernel };
}

describe('deliver', () => {
  test('[P200] the same id is a duplicate while its run goes on, after it, after a reset and after a kill', async () => {
    const { gate, kernel } = gated();
    const page = await opened(kernel);
    const sent = await kernel.kernel.deliver(PID, tick('a'));
    expect(sent).toEqual({ runId: sent.runId, queued: false });
    const again = { runId: sent.runId, queued: false, duplicate: true };
    expect(await kernel.kernel.deliver(PID, tick('a'))).toEqual(again);
    gate.open();
    await page.finished(sent.runId);
    expect(await kernel.kernel.deliver(PID, tick('a'))).toEqual(again);
    expect(lines((await page.history()).messages)).toEqual([EVENT, 'assistant: heard']);
    await page.call('proc.reset', {});
    expect(await kernel.kernel.deliver(PID, tick('a'))).toEqual(again);
    const after = await kernel.restart();
    expect(await kernel.kernel.deliver(PID, tick('a'))).toEqual(again);
    await turns(20);
    expect((await after.history()).messages).toEqual([]);
    expect(kernel.models.requests).toHaveLength(1);
  });

  test('[P200] and while it waits in the queue, also over a kill', async () => {
    const { gate, kernel } = gated();
    const page = await opened(kernel);
    await page.send('first');
    const sent = await kernel.kernel.deliver(PID, tick('a'));
    expect(sent.queued).toBe(true);
    expect(await kernel.kernel.deliver(PID, tick('a'))).toEqual({ ...sent, duplicate: true });
    const after = await kernel.restart();
    expect(await kernel.kernel.deliver(PID, tick('a'))).toMatchObject({ duplicate: true });
    gate.open();
    await after.finished(sent.runId);
    const expected = ['user: first', 'assistant: heard', EVENT, 'assistant: heard'];
    expect(lines((await after.history()).messages)).toEqual(expected);
  });

  test('[P200] a message that was taken back is not brought again, and one of nobody is refused', async () => {
    const { gate, kernel } = gated();
    const page = await opened(kernel);
    const { runId } = await page.send('first');
    await kernel.kernel.deliver(PID, tick('a'));
    expect(await page.call('proc.queue.remove', { messageId: 'a' })).toMatchObject({ removed: true });
    expect(await kernel.kernel.deliver(PID, tick('a'))).toMatchObject({ duplicate: true });
    gate.open();
    await page.finished(runId);
    await turns(20);
    expect(lines((await page.history()).messages)).toEqual(['user: first', 'assistant: heard']);
    await expect(kernel.kernel.deliver('nobody', tick('b'))).rejects.toThrow('Process not found');
  });

  test('[P201] the model reads it as a user’s message; the page is told that it is an event', async () => {
    const kernel = new TestKernel(() => says('heard'));
    const page = await opened(kernel);
    const { runId } = await kernel.kernel.deliver(PID, tick('a'));
    await page.finished(runId);
    const words = await kernel.kernel.deliver(PID, { messageId: 'b', text: 'hello', origin: 'user' });
    await page.finished(words.runId);
    const said = [{ type: 'text', text: '[Process Event]: the clock struck' }];
    expect(kernel.models.requests[0]?.messages).toMatchObject([{ role: 'user', content: said }]);
    const view = await page.call('view.open', { view: 'conversation', pid: PID });
    const messages = view.rows.flatMap(({ key, value }) => (key.startsWith('m:') ? [value] : []));
    expect(messages.map((row) => (row as { origin?: string }).origin ?? null)).toEqual([
      'event',
      null,
      null,
      null,
    ]);
  });

  test('[P201] one that comes while tools work joins the run there', async () => {
    const gate = new Gate();
    const kernel = new TestKernel(async (_request, turn) => {
      await gate.pass();
      if (turn > 0) return says('heard');
      return calls({ name: 'Read', args: { target: 'gsv', path: '~/context.d/10-user.md' } });
    });
    const page = await opened(kernel);
    const { runId } = await page.send('go');
    await gate.reached();
    await kernel.kernel.deliver(PID, tick('a'));
    gate.open();
    await page.finished(runId);
    const { messages } = await page.history();
    expect(lines(messages).filter((line) => line === EVENT)).toHaveLength(1);
    expect(lines(messages).at(-1)).toBe('assistant: heard');
    expect(problems(messages)).toEqual([]);
    expect(await kernel.kernel.deliver(PID, tick('a'))).toMatchObject({ duplicate: true });
  });

  test('[P202] a disk that refuses keeps nothing of it, and it can be delivered later', async () => {
    const { gate, kernel } = gated();
    const page = await opened(kernel);
    kernel.disk.refuse = new Error('full');
    await expect(kernel.kernel.deliver(PID, tick('a'))).rejects.toThrow('full');
    kernel.disk.refuse = null;
    await page.send('first');
    kernel.disk.refuse = new Error('full');
    await expect(kernel.kernel.deliver(PID, tick('a'))).rejects.toThrow('full');
    kernel.disk.refuse = null;
    const sent = await kernel.kernel.deliver(PID, tick('a'));
    expect(sent.duplicate).toBeUndefined();
    gate.open();
    await page.finished(sent.runId);
    expect(lines((await page.history()).messages).filter((line) => line === EVENT)).toHaveLength(1);
  });
});

describe('one cause in two browsers', () => {
  const paired = async (): Promise<KernelPair> => {
    const pair = await KernelPair.start(() => says('heard'));
    await pair.passing(pair.pages.a.history());
    const known = async () => (await pair.pages.b.call('proc.list', {})).processes.length > 0;
    await pair.until(known, 'b knows the process');
    return pair;
  };
  const once = async (pair: KernelPair): Promise<void> => {
    const history = async (name: 'a' | 'b') => {
      const read = await pair.pages[name].call('proc.history', { limit: 100 });
      return read.ok ? lines(read.messages) : [];
    };
    const both = async () => (await history('a')).length === 2 && (await history('b')).length === 2;
    await pair.until(both, 'both have one run').catch(() => {});
    expect([await history('a'), await history('b')]).toEqual([
      [EVENT, 'assistant: heard'],
      [EVENT, 'assistant: heard'],
    ]);
  };

  test('[P203] at the same time it is one message', async () => {
    const pair = await paired();
    const given = [pair.a, pair.b].map((one) => one.kernel.deliver(PID, tick('a')));
    await pair.passing(Promise.all(given));
    await once(pair);
    expect(pair.a.models.requests.length + pair.b.models.requests.length).toBe(1);
  });

  test('[P203] one after the other it is a duplicate', async () => {
    const pair = await paired();
    const { runId } = await pair.passing(pair.a.kernel.deliver(PID, tick('a')));
    await pair.passing(pair.pages.a.finished(runId));
    await pair.pass(3_000);
    expect(await pair.passing(pair.b.kernel.deliver(PID, tick('a')))).toMatchObject({ duplicate: true });
    await once(pair);
  });

  test('[P203] also while they are cut off from each other', async () => {
    const pair = await paired();
    pair.hosts.b.cut();
    await pair.pass(2_000);
    const given = [pair.a, pair.b].map((one) => one.kernel.deliver(PID, tick('a')));
    const [first, second] = await pair.passing(Promise.all(given));
    expect(first?.runId).toBe(second?.runId);
    await pair.pass(10_000);
    pair.hosts.b.mend();
    await once(pair);
  });
});
