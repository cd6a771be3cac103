import { describe, expect, test } from 'vitest';
import { Gate } from '../../../tests/support/gate.ts';
import { lines, problems } from '../../../tests/support/history.ts';
import { TestKernel, type TestPage } from '../../../tests/support/kernel.ts';
import { calls, fails, says } from '../../../tests/support/scripted-models.ts';
import type { ModelMessage } from '../ports/models.ts';

const AUTO = '{"default":"auto","rules":[]}';
const freely = (page: TestPage) =>
  page.call('sys.config.set', { key: 'users/1000/ai/tools/approval', value: AUTO });
const shell = (input: string, id = 'a') => ({ name: 'Shell', args: { target: 'gsv', input }, id });
const results = (messages: ModelMessage[] = []) =>
  messages.flatMap((message) =>
    message.role === 'toolResult'
      ? [
          {
            isError: message.isError,
            text: message.content.map((block) => ('text' in block ? block.text : block.mimeType)).join(''),
          },
        ]
      : [],
  );

describe('tool calls', () => {
  test('[A49] what cannot be executed goes back to the model as the result of its call', async () => {
    const kernel = new TestKernel((_request, turn) =>
      turn === 0
        ? calls(
            { name: 'Fly', args: {}, id: 'a' },
            { name: 'Read', args: { target: 'gsv', path: 7 }, id: 'b' },
            { name: 'Read', args: { path: 'x' }, id: 'c' },
            { name: 'Read', args: { target: 'mars', path: 'x' }, id: 'd' },
            { name: 'Read', args: { target: 'gsv', path: '~/context.d/00-role.md' }, id: 'e' },
          )
        : says('done'),
    );
    const page = await kernel.ready();
    expect(await page.run('go')).toMatchObject({ status: 'ok' });
    const seen = results(kernel.models.requests[1]?.messages);
    expect(seen.map(({ isError }) => isError)).toEqual([true, true, true, true, false]);
    for (const [at, words] of [
      'no tool named Fly',
      '/path',
      'target is required',
      'Access denied',
    ].entries()) {
      expect(seen[at]?.text).toContain(words);
    }
    expect(problems((await page.history()).messages)).toEqual([]);
  });

  test('[A50] independent calls of one message run at the same time; calls that depend on each other in order', async () => {
    const kernel = new TestKernel((_request, turn) => {
      if (turn === 0)
        return calls(
          ...['a', 'b', 'c'].map((id) => ({
            name: 'Search',
            args: { target: 'gsv', query: id, path: '~' },
            id,
          })),
        );
      if (turn > 1) return says('done');
      return calls(
        shell('echo 1 > order.txt', 'a'),
        shell('sleep 0.05; echo 2 >> order.txt', 'b'),
        shell('cat order.txt', 'c'),
      );
    });
    const page = await kernel.ready();
    await freely(page);
    await page.run('go');
    const order = page.signals
      .map(({ signal }) => signal)
      .filter((signal) => signal.startsWith('proc.run.tool'));
    const [started, finished] = ['proc.run.tool.started', 'proc.run.tool.finished'];
    expect(order.slice(0, 6)).toEqual([started, started, started, finished, finished, finished]);
    expect(order.slice(6)).toEqual([started, finished, started, finished, started, finished]);
    expect(results(kernel.models.requests[2]?.messages).at(-1)?.text).toBe('1\n2\n[exit 0]');
  });

  test('[A51] ids that are empty or repeated are made unique before anything is stored', async () => {
    const kernel = new TestKernel((_request, turn) =>
      turn === 0
        ? calls(shell('echo 1', ''), shell('echo 2', ''), shell('echo 3', 'x'), shell('echo 4', 'x'))
        : says('ok'),
    );
    const page = await kernel.ready();
    await page.run('go');
    expect(problems((await page.history()).messages)).toEqual([]);
    expect(results(kernel.models.requests[1]?.messages).map(({ text }) => text[0])).toEqual([
      '1',
      '2',
      '3',
      '4',
    ]);
  });

  test('[A51] a call at which the model’s output was cut off is not executed', async () => {
    const kernel = new TestKernel((_request, turn) =>
      turn === 0
        ? {
            ...calls({ name: 'Write', args: { target: 'gsv', path: 'half.txt', content: 'the first ha' } }),
            stop: 'length',
          }
        : says('ok'),
    );
    const page = await kernel.ready();
    await page.run('go');
    expect(results(kernel.models.requests[1]?.messages)).toMatchObject([
      { isError: true, text: expect.stringContaining('length limit') },
    ]);
    expect(await page.call('fs.read', { path: 'half.txt' })).toMatchObject({ ok: false });
  });

  test('[A52] an image that a tool read reaches the model as an image', async () => {
    const png =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const kernel = new TestKernel((_request, turn) =>
      turn === 0 ? calls({ name: 'Read', args: { target: 'gsv', path: 'dot.png' } }) : says('a dot'),
    );
    const page = await kernel.ready();
    const bytes = new Uint8Array(Buffer.from(png, 'base64'));
    const stream = new ReadableStream<Uint8Array>({
      start(to) {
        to.enqueue(bytes);
        to.close();
      },
    });
    await page.peer.call('fs.transfer.write', { path: 'dot.png' }, { stream });
    await page.run('look');
    const [result] = kernel.models.requests[1]?.messages.filter(({ role }) => role === 'toolResult') ?? [];
    expect(result?.content).toContainEqual({ type: 'image', data: png, mimeType: 'image/png' });
  });
});

describe('limits', () => {
  const same = () => calls({ name: 'Read', args: { target: 'gsv', path: '~/context.d/00-role.md' } });

  test('[A53] an identical call is refused at the third time and ends the run at the fifth', async () => {
    const kernel = new TestKernel(same);
    const page = await kernel.ready();
    const end = await page.run('go');
    expect(end).toMatchObject({
      status: 'error',
      error: expect.stringContaining('repeating one identical call'),
    });
    expect(kernel.models.requests).toHaveLength(5);
    const seen = results(kernel.models.requests[4]?.messages);
    expect(seen.map(({ isError }) => isError)).toEqual([false, false, true, true]);
    expect(seen[2]?.text).toContain('identical call 3 times');
    expect(page.named('proc.run.tool.started')).toHaveLength(2);
    const { messages } = await page.history();
    expect([problems(messages), lines(messages).at(-1)]).toEqual([[], expect.stringContaining('Stopped')]);
  });

  test('[A53] calls that differ, and polling a session, are no repetition', async () => {
    const kernel = new TestKernel((_request, turn) => {
      if (turn < 6) return calls({ name: 'Shell', args: { input: '', sessionId: 's1' } });
      return turn < 12 ? calls(shell(`echo ${turn % 2}`)) : says('done');
    });
    const page = await kernel.ready();
    expect(await page.run('go')).toMatchObject({ status: 'ok', text: 'done' });
    const nulls = new TestKernel(() =>
      calls({ name: 'Shell', args: { target: 'gsv', input: 'ls', sessionId: null } }),
    );
    expect(await (await nulls.ready()).run('go')).toMatchObject({ status: 'error' });
    expect(nulls.models.requests).toHaveLength(5);
  });

  test.each([
    ['turns', 'max_turns', '3', 'after 3 model calls'],
    ['cost', 'max_cost', '0.003', 'the budget of one run, $0.0030'],
  ])(
    '[A54] a run stops at its limit of %s, says so, and the next one begins afresh',
    async (_what, name, value, words) => {
      let wanted = 10;
      const kernel = new TestKernel((_request, turn) =>
        turn < wanted ? calls(shell(`echo ${turn}`)) : says('done'),
      );
      const page = await kernel.ready();
      await page.call('sys.config.set', { key: `users/1000/ai/${name}`, value });
      expect(await page.run('go')).toMatchObject({
        status: 'error',
        error: expect.stringContaining(words),
        usage: { input: 300 },
      });
      expect(kernel.models.requests).toHaveLength(3);
      expect(lines((await page.history()).messages).at(-1)).toContain(words);
      wanted = 0;
      expect(await page.run('go on')).toMatchObject({ status: 'ok' });
      const { messages } = kernel.models.requests.at(-1) ?? {};
      expect(JSON.stringify(messages)).toContain('[Process Event]: Stopped');
    },
  );

  test('[A55] a generation that fails ends the run with its reason, and keeps what was said', async () => {
    const partial = [
      { type: 'text' as const, text: 'I was about to' },
      { type: 'toolCall' as const, id: 'x', name: 'Delete', arguments: {} },
    ];
    const kernel = new TestKernel((_request, turn) =>
      turn === 0 ? { ...fails('the provider said no', false), partial } : says('ok'),
    );
    const page = await kernel.ready();
    expect(await page.run('go')).toMatchObject({ status: 'error', error: 'the provider said no' });
    const { messages } = await page.history();
    expect(lines(messages)).toEqual([
      'user: go',
      'assistant: I was about to',
      'system: the provider said no',
    ]);
    expect(problems(messages)).toEqual([]);
  });

  test('[A55] without a model the run ends with what to do', async () => {
    const kernel = new TestKernel();
    const page = await kernel.ready();
    await page.call('sys.config.set', { key: 'users/1000/ai/model', value: '' });
    expect(await page.run('go')).toMatchObject({
      status: 'error',
      error: expect.stringContaining('Choose one in Settings'),
    });
  });
});

test('[A56] the signals of a run come in order, each with the run and the conversation', async () => {
  const gate = new Gate();
  const kernel = new TestKernel(async (_request, turn) => {
    await gate.pass();
    return turn === 0 ? calls(shell('echo hi')) : says('the end');
  });
  const page = await kernel.ready();
  gate.open();
  const { runId } = await page.send('go');
  await page.finished(runId);
  const own = page.signals.filter(({ signal }) => signal.startsWith('proc.run.'));
  const names = own.map(({ signal }) => signal.slice('proc.run.'.length)).filter((name) => name !== 'stream');
  expect(names).toEqual(['started', 'output', 'tool.started', 'tool.finished', 'output', 'finished']);
  for (const { payload } of own) {
    expect(payload).toMatchObject({
      pid: 'init:1000',
      runId,
      conversationId: 'default',
      timestamp: expect.any(Number),
    });
  }
  const streamed = page.named('proc.run.stream').map(({ seq }) => seq);
  expect(streamed).toEqual(streamed.map((_, at) => at));
  expect(page.named('proc.run.tool.finished')[0]).toMatchObject({
    name: 'Shell',
    syscall: 'shell.exec',
    ok: true,
    output: 'hi\n[exit 0]',
  });
  expect(page.named('proc.run.finished')[0]).toMatchObject({
    status: 'ok',
    text: 'the end',
    queuedCount: 0,
    usage: { input: 200 },
  });
});
