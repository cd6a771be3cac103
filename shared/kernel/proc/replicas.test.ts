import { describe, expect, test } from 'vitest';
import { Gate } from '../../../tests/support/gate.ts';
import { lines, problems } from '../../../tests/support/history.ts';
import type { TestPage } from '../../../tests/support/kernel.ts';
import { KernelPair } from '../../../tests/support/kernel-pair.ts';
import { calls, type Script, says } from '../../../tests/support/scripted-models.ts';

const ASKS = '{"default":"auto","rules":[{"match":"fs.delete","action":"ask"}]}';
const readNote = () => calls({ name: 'Read', args: { target: 'gsv', path: '~/context.d/10-user.md' } });

/** Waits until both browsers have the same history, and it is this one. */
async function agree(pair: KernelPair, expected: unknown[], pid?: string): Promise<void> {
  const both = [pair.pages.a, pair.pages.b];
  const seen = async (): Promise<string[]> =>
    Promise.all(both.map(async (page) => JSON.stringify(await historyOf(page, pid))));
  const wanted = async (): Promise<boolean> => {
    const [a, b] = await seen();
    return a === b && JSON.parse(a ?? '[]').length === expected.length;
  };
  await pair.until(wanted, `a history of ${expected.length} messages`).catch(() => {});
  for (const page of both) expect(await historyOf(page, pid)).toEqual(expected);
}

async function historyOf(page: TestPage, pid?: string): Promise<string[]> {
  const read = await page.call('proc.history', { limit: 1000, ...(pid ? { pid } : {}) });
  return read.ok ? lines(read.messages) : [];
}

/** Resolves when the browser shows the run of the other one. */
const shows = (pair: KernelPair, name: 'a' | 'b', message: string): Promise<void> =>
  pair.until(
    async () => (await historyOf(pair.pages[name])).includes(`user: ${message}`),
    `${name} sees ${message}`,
  );

/** A model that answers a message as soon as the gate lets it. */
function gated(script: Script = () => says('ok')): { gate: Gate; script: Script } {
  const gate = new Gate();
  return {
    gate,
    script: async (request, turn) => {
      await gate.pass();
      return script(request, turn);
    },
  };
}

describe('a run in one browser', () => {
  test('[P52] is followed in another: what is said, while it is said, and what is stored', async () => {
    const { gate, script } = gated(() => says('the answer'));
    const pair = await KernelPair.start(script);
    const { a, b } = pair.pages;
    const { runId } = await pair.passing(a.send('hello'));
    await pair.passing(gate.reached());
    await shows(pair, 'b', 'hello');
    const opening = b.call('view.open', { view: 'conversation', pid: 'init:1000' });
    const { rows } = await pair.passing(opening);
    const run = rows.find(({ key }) => key === 'run')?.value;
    expect(run).toMatchObject({ runId, owner: expect.any(String), epoch: 1 });
    gate.open();
    await pair.passing(b.finished(runId));
    await agree(pair, ['user: hello', 'assistant: the answer']);
    const deltas = b.named('proc.run.stream').map(({ event }) => (event as { delta?: string }).delta ?? '');
    expect(deltas.join('')).toBe('the answer');
  });

  test('[P53] takes a message that was queued in another, once, where tool results go back', async () => {
    const { gate, script } = gated((_request, turn) => (turn === 0 ? readNote() : says('both seen')));
    const pair = await KernelPair.start(script);
    const { a, b } = pair.pages;
    const { runId } = await pair.passing(a.send('one'));
    await pair.passing(gate.reached());
    await shows(pair, 'b', 'one');
    expect((await pair.passing(b.send('two'))).queued).toBe(true);
    const queued = async () => (await a.call('proc.list', {})).processes.length > 0;
    await pair.until(queued, 'a has it');
    await pair.pass(2_000);
    gate.open();
    await pair.passing(a.finished(runId));
    await agree(pair, [
      'user: one',
      'assistant: toolCall',
      expect.stringContaining('toolResult'),
      'user: two',
      'assistant: both seen',
    ]);
    expect(pair.b.models.requests).toHaveLength(0);
  });

  test('[P53] begins a queued message when the other has let go, and only one of them does', async () => {
    const { gate, script } = gated(() => says('ok'));
    const pair = await KernelPair.start(script);
    const { a, b } = pair.pages;
    await pair.passing(a.send('one'));
    await pair.passing(gate.reached());
    await shows(pair, 'b', 'one');
    await pair.passing(b.send('two'));
    await pair.passing(b.send('three'));
    gate.open();
    await agree(pair, [
      'user: one',
      'assistant: ok',
      'user: two',
      'assistant: ok',
      'user: three',
      'assistant: ok',
    ]);
    await pair.pass(20_000);
    await agree(pair, [
      'user: one',
      'assistant: ok',
      'user: two',
      'assistant: ok',
      'user: three',
      'assistant: ok',
    ]);
    expect(pair.a.models.requests.length + pair.b.models.requests.length).toBe(3);
  });

  test('[P54] is stopped from another, and a queued message taken back there', async () => {
    const { gate, script } = gated();
    const pair = await KernelPair.start(script);
    const { a, b } = pair.pages;
    const { runId } = await pair.passing(a.send('one'));
    await pair.passing(gate.reached());
    await shows(pair, 'b', 'one');
    await pair.passing(a.send('second thoughts'));
    const opened = await pair.passing(b.call('view.open', { view: 'conversation', pid: 'init:1000' }));
    const messageId = String(opened.rows.find(({ key }) => key.startsWith('q:'))?.value.messageId);
    const taken = b.call('proc.queue.remove', { messageId });
    expect(await pair.passing(taken)).toEqual({ ok: true, removed: true, message: 'second thoughts' });
    const aborted = await pair.passing(b.call('proc.abort', {}));
    expect(aborted).toMatchObject({ ok: true, aborted: true, runId });
    await agree(pair, ['user: one', 'system: Stopped by the user.']);
    expect(await pair.passing(b.call('proc.abort', {}))).toMatchObject({ aborted: false });
  });

  test('[P55] is approved from another, also when its browser comes back only later', async () => {
    const script: Script = ({ messages }) =>
      messages.at(-1)?.role === 'user'
        ? calls({ name: 'Delete', args: { target: 'gsv', path: '~/context.d/10-user.md' } })
        : says('deleted');
    const pair = await KernelPair.start(script);
    await pair.settings(ASKS);
    const { a, b } = pair.pages;
    for (const away of [false, true]) {
      const { runId } = await pair.passing(a.send(`away ${away}`));
      const pending = async () => {
        const read = await b.call('proc.history', {});
        return (read.ok && read.pendingHil) || null;
      };
      await pair.until(async () => (await pending()) !== null, 'b is asked');
      const requestId = (await pending())?.requestId ?? '';
      if (away) pair.hosts.a.cut();
      const answer = await pair.passing(b.call('proc.hil', { requestId, decision: 'approve' }));
      if (away) {
        const error = 'The browser that runs this cannot be reached; your answer is stored and will be used';
        expect(answer).toEqual({ ok: false, error });
        pair.hosts.a.mend();
      } else expect(answer).toMatchObject({ ok: true, resumed: true });
      await pair.passing(a.finished(runId));
    }
    const history = await pair.passing(a.history());
    expect(problems(history.messages)).toEqual([]);
    expect(lines(history.messages).filter((line) => line === 'assistant: deleted')).toHaveLength(2);
    expect(JSON.stringify(history)).not.toContain('denied');
  });
});

describe('a reset in one browser', () => {
  test('[P97] ends the run of another whose lease is over, also one that waits for an approval there', async () => {
    const asks = () => calls({ name: 'Delete', args: { target: 'gsv', path: '~/context.d/10-user.md' } });
    const pair = await KernelPair.start(
      (_request, turn) => (turn === 0 ? asks() : says('ok')),
      () => says('ok'),
    );
    await pair.settings(ASKS);
    const { a, b } = pair.pages;
    await pair.passing(a.send('delete it'));
    const asked = async (): Promise<boolean> => {
      const read = await b.call('proc.history', {});
      return read.ok && read.pendingHil !== null;
    };
    await pair.until(asked, 'b is asked');
    pair.hosts.a.cut();
    await pair.pass(70_000);
    expect(await pair.passing(b.call('proc.reset', {}))).toMatchObject({ ok: true });
    pair.hosts.a.mend();
    const idle = async (): Promise<boolean> =>
      (await a.call('proc.list', {})).processes.every(({ state }) => state === 'idle');
    await pair.until(idle, 'nothing goes on in the eyes of a');
    expect(await pair.passing(a.run('go on'))).toMatchObject({ status: 'ok' });
  });

  test('[P61] stops the run of the other first and archives all of it', async () => {
    const { gate, script } = gated();
    const pair = await KernelPair.start(script);
    const { a, b } = pair.pages;
    await pair.passing(a.send('one'));
    await pair.passing(gate.reached());
    await shows(pair, 'b', 'one');
    const done = await pair.passing(b.call('proc.reset', {}));
    expect(done).toMatchObject({ ok: true, archivedMessages: 2 });
    await agree(pair, []);
    gate.open();
    await pair.passing(a.run('two'));
    await agree(pair, ['user: two', 'assistant: ok']);
  });

  test('[P412] of one conversation is done while the other runs another one of the process', async () => {
    const { gate, script } = gated();
    const pair = await KernelPair.start(script);
    const { a, b } = pair.pages;
    const side = { pid: 'init:1000', conversationId: 'side' };
    await pair.passing(a.call('proc.conversation.open', side));
    const sent = await pair.passing(a.call('proc.send', { ...side, message: 'aside' }));
    if (!sent.ok) throw new Error(sent.error);
    gate.step();
    await pair.passing(a.finished(sent.runId));
    const { runId } = await pair.passing(a.send('one'));
    await pair.passing(gate.reached());
    await shows(pair, 'b', 'one');
    const sideAt = async (page: TestPage): Promise<string[]> => {
      const read = await page.call('proc.history', side);
      return read.ok ? lines(read.messages) : [];
    };
    await pair.until(async () => (await sideAt(b)).length === 2, 'b sees what was said aside');
    const began = pair.room.clock.now();
    const reset = await pair.passing(b.call('proc.conversation.reset', side));
    expect(reset).toMatchObject({ ok: true, generation: 1, archivedMessages: 2 });
    expect(pair.room.clock.now() - began).toBeLessThan(5_000);
    await pair.until(async () => (await sideAt(a)).length === 0, 'a has the new generation');
    gate.open();
    await pair.passing(a.finished(runId));
    await agree(pair, ['user: one', 'assistant: ok']);
    const again = await pair.passing(a.call('proc.send', { ...side, message: 'anew' }));
    if (!again.ok) throw new Error(again.error);
    await pair.passing(a.finished(again.runId));
    await pair.until(async () => (await sideAt(b)).length === 2, 'b sees what was said anew');
    expect(await sideAt(b)).toEqual(['user: anew', 'assistant: ok']);
  });

  test('[P61] is refused while the other has the process and cannot be reached; apart, it loses nothing', async () => {
    const { gate, script } = gated();
    const pair = await KernelPair.start(script);
    const { a, b } = pair.pages;
    await pair.passing(a.send('one'));
    await pair.passing(gate.reached());
    await shows(pair, 'b', 'one');
    pair.hosts.a.cut();
    await pair.pass(1_000);
    expect(await pair.passing(b.call('proc.reset', {}))).toMatchObject({
      ok: false,
      error: expect.stringContaining('cannot be reached'),
    });
    expect(await historyOf(b)).toEqual(['user: one']);
    pair.hosts.b.cut();
    await pair.pass(1_000);
    expect(await pair.passing(b.call('proc.reset', {}))).toMatchObject({ ok: true, archivedMessages: 1 });
    await pair.passing(b.send('anew'));
    gate.open();
    await pair.pass(5_000);
    for (const host of [pair.hosts.a, pair.hosts.b]) host.mend();
    await pair.until(
      async () => (await historyOf(a)).length === 3 && (await historyOf(b)).length === 3,
      'both are in the new generation',
    );
    // What the archive could not know is there; what it knew is not there twice.
    expect((await historyOf(a)).sort()).toEqual(['assistant: ok', 'assistant: ok', 'user: anew']);
    expect(await historyOf(a)).toEqual(await historyOf(b));
  });
});

test('[P63] a conversation that nobody uses is closed after a while, and opened again when it is asked for', async () => {
  const pair = await KernelPair.start(() => says('ok'));
  const { a } = pair.pages;
  await pair.passing(a.run('one'));
  const open = (): number => {
    const sent = pair.room.calls.map(({ call, args }) => ({ call, ...(args as { doc?: string }) }));
    const opened = sent.filter(({ call, doc }) => call === 'doc.open' && doc?.startsWith('conv/init:1000'));
    return opened.length - sent.filter(({ call }) => call === 'doc.close').length;
  };
  expect(open()).toBe(2);
  await pair.pass(11 * 60_000);
  expect(open()).toBe(0);
  expect(await pair.passing(a.run('two'))).toMatchObject({ status: 'ok' });
  await agree(pair, ['user: one', 'assistant: ok', 'user: two', 'assistant: ok']);
});
