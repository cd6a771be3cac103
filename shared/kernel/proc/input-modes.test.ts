import { describe, expect, test } from 'vitest';
import { Gate } from '../../../tests/support/gate.ts';
import { lines, problems } from '../../../tests/support/history.ts';
import { TestKernel, type TestPage } from '../../../tests/support/kernel.ts';
import { KernelPair } from '../../../tests/support/kernel-pair.ts';
import { calls, says } from '../../../tests/support/scripted-models.ts';
import type { InputMode } from '../../syscalls/proc.ts';

const PID = 'init:1000';

/** A model that reads a file in its first answer to `work`, then says how many users it has heard. */
function working() {
  const gate = new Gate();
  const kernel = new TestKernel(async ({ messages }) => {
    await gate.pass();
    const users = messages.filter(({ role }) => role === 'user').length;
    const last = messages.at(-1);
    const isWork = last?.role === 'user' && JSON.stringify(last.content).includes('work');
    return isWork
      ? calls({ name: 'Read', args: { target: 'gsv', path: '/proc/version' } })
      : says(`heard ${users}`);
  });
  return { gate, kernel };
}

async function sendAs(page: TestPage, message: string, mode: InputMode): Promise<string> {
  const sent = await page.call('proc.send', { message, mode });
  if (!sent.ok) throw new Error(sent.error);
  return sent.runId;
}

type Queued = { messageId: string; text: string };
async function queueOf(page: TestPage): Promise<Queued[]> {
  const view = await page.call('view.open', { view: 'conversation', pid: PID });
  await page.call('view.close', { viewId: view.viewId });
  return view.rows.flatMap(({ key, value }) => (key.startsWith('q:') ? [value as Queued] : []));
}
const idle = (page: TestPage) => async (): Promise<boolean> => {
  const [process] = (await page.call('proc.list', {})).processes;
  return process?.state === 'idle' && (await queueOf(page)).length === 0;
};
const told = async (page: TestPage): Promise<string[]> => {
  const { messages } = await page.history();
  expect(problems(messages)).toEqual([]);
  return lines(messages);
};

describe('a message while a run goes on', () => {
  test('[P120] `steer` joins it at its next step; `queue` waits until it has ended', async () => {
    const { gate, kernel } = working();
    const page = await kernel.ready();
    await page.send('work');
    await gate.reached();
    await sendAs(page, 'after', 'queue');
    await sendAs(page, 'join', 'steer');
    gate.open();
    await expect.poll(idle(page)).toBe(true);
    const said = (await told(page)).filter((line) => !line.startsWith('toolResult'));
    expect(said).toEqual([
      'user: work',
      'assistant: toolCall',
      'user: join',
      'assistant: heard 2',
      'user: after',
      'assistant: heard 3',
    ]);
  });

  test('[P121] `interrupt` stops the run at once, and comes before what waits', async () => {
    const { gate, kernel } = working();
    const page = await kernel.ready();
    await page.send('first');
    await gate.reached();
    await sendAs(page, 'waits', 'queue');
    await sendAs(page, 'now', 'interrupt');
    await sendAs(page, 'and now', 'interrupt');
    gate.open();
    await expect.poll(idle(page)).toBe(true);
    expect(await told(page)).toEqual([
      'user: first',
      'system: Stopped by the user.',
      'user: now',
      'system: Stopped by the user.',
      'user: and now',
      'assistant: heard 5',
      'user: waits',
      'assistant: heard 6',
    ]);
    const ends = page.named('proc.run.finished').map(({ status }) => status);
    expect(ends).toEqual(['aborted', 'aborted', 'ok', 'ok']);
  });

  test('[P121] an interrupted tool call has its one result, and a kill in between loses nothing', async () => {
    const { gate, kernel } = working();
    const page = await kernel.ready();
    await page.send('work');
    await gate.reached();
    await sendAs(page, 'waits', 'queue');
    await sendAs(page, 'now', 'interrupt');
    const after = await kernel.restart();
    gate.open();
    await expect.poll(idle(after)).toBe(true);
    const said = (await told(after)).filter((line) => line.startsWith('user'));
    expect(said).toEqual(['user: work', 'user: now', 'user: waits']);
  });

  test('[P122] without a mode the setting decides; one that means nothing is `steer`', async () => {
    for (const [value, expected] of [
      ['queue', ['user: work', 'user: second']],
      ['nonsense', ['user: work', 'user: second']],
    ] as const) {
      const { gate, kernel } = working();
      const page = await kernel.ready();
      await page.call('sys.config.set', { key: 'users/1000/ai/input_mode', value });
      await page.send('work');
      await gate.reached();
      await page.send('second');
      gate.open();
      await expect.poll(idle(page)).toBe(true);
      const all = await told(page);
      expect(all.filter((line) => line.startsWith('user'))).toEqual(expected);
      expect(all.filter((line) => line.startsWith('assistant: heard'))).toHaveLength(
        value === 'queue' ? 2 : 1,
      );
    }
  });
});

describe('the queue', () => {
  async function queued() {
    const { gate, kernel } = working();
    const page = await kernel.ready();
    await page.send('first');
    await gate.reached();
    for (const text of ['a', 'b', 'c']) await sendAs(page, text, 'queue');
    const ids = new Map((await queueOf(page)).map(({ text, messageId }) => [text, messageId]));
    const id = (text: string): string => ids.get(text) ?? '';
    return { gate, kernel, page, id };
  }
  const texts = async (page: TestPage): Promise<string[]> => (await queueOf(page)).map(({ text }) => text);

  test('[P123] a message in it is edited, moved and removed until it is read; also over a kill', async () => {
    const { gate, kernel, page, id } = await queued();
    const move = (messageId: string, before: string | null) =>
      page.call('proc.queue.move', { messageId, before });
    expect(await move(id('c'), id('a'))).toEqual({ ok: true, moved: true });
    expect(await texts(page)).toEqual(['c', 'a', 'b']);
    await move(id('a'), null);
    expect(await texts(page)).toEqual(['c', 'b', 'a']);
    await move(id('a'), id('b'));
    expect(await texts(page)).toEqual(['c', 'a', 'b']);
    const updated = await page.call('proc.queue.update', { messageId: id('a'), message: 'a, said better' });
    expect(updated).toEqual({ ok: true, updated: true });
    await page.call('proc.queue.remove', { messageId: id('b') });
    expect(await page.call('proc.queue.update', { messageId: id('b'), message: 'x' })).toMatchObject({
      updated: false,
    });
    expect(await page.call('proc.queue.move', { messageId: id('b'), before: null })).toMatchObject({
      moved: false,
    });
    await sendAs(page, 'd', 'queue');
    expect(await texts(page)).toEqual(['c', 'a, said better', 'd']);
    const after = await kernel.restart();
    expect(await texts(after)).toEqual(['c', 'a, said better', 'd']);
    gate.open();
    await expect.poll(idle(after)).toBe(true);
    expect((await told(after)).filter((line) => line.startsWith('user'))).toEqual([
      'user: first',
      'user: c',
      'user: a, said better',
      'user: d',
    ]);
  });

  test('[P123] a waiting message becomes one that ends the run, or one that joins it', async () => {
    const { gate, page, id } = await queued();
    await page.call('proc.queue.update', { messageId: id('b'), mode: 'interrupt' });
    gate.open();
    await expect.poll(idle(page)).toBe(true);
    expect((await told(page)).slice(0, 3)).toEqual([
      'user: first',
      'system: Stopped by the user.',
      'user: b',
    ]);
  });
});

test('[P124] another browser interrupts a run and orders its queue, and nothing is lost or read twice', async () => {
  const gate = new Gate();
  const pair = await KernelPair.start(async () => {
    await gate.pass();
    return says('ok');
  });
  const { a, b } = pair.pages;
  await pair.passing(a.send('first'));
  await pair.passing(gate.reached());
  const known = async () => (await b.call('proc.list', {})).processes[0]?.state === 'running';
  await pair.until(known, 'b knows of the run');
  const rows = async () => {
    const view = await b.call('view.open', { view: 'conversation', pid: PID });
    await b.call('view.close', { viewId: view.viewId });
    return view.rows;
  };
  await pair.until(async () => (await rows()).some(({ key }) => key === 'run'), 'b sees the run');
  await pair.passing(sendAs(b, 'x', 'queue'));
  await pair.passing(sendAs(b, 'y', 'queue'));
  const [x, y] = await pair.passing(queueOf(b));
  const moved = b.call('proc.queue.move', { messageId: y?.messageId ?? '', before: x?.messageId ?? '' });
  expect(await pair.passing(moved)).toEqual({ ok: true, moved: true });
  await pair.passing(sendAs(b, 'now', 'interrupt'));
  gate.open();
  const history = async (): Promise<string[]> => {
    const read = await b.call('proc.history', { limit: 100 });
    return read.ok ? lines(read.messages) : [];
  };
  await pair.until(async () => (await history()).length === 8, 'all is answered');
  expect((await history()).filter((line) => !line.startsWith('assistant'))).toEqual([
    'user: first',
    'system: Stopped by the user.',
    'user: now',
    'user: y',
    'user: x',
  ]);
});
