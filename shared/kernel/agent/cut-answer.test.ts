import { describe, expect, test } from 'vitest';
import { TestKernel } from '../../../tests/support/kernel.ts';
import { calls, type Script, says } from '../../../tests/support/scripted-models.ts';
import type { ModelMessage, ModelOutcome } from '../ports/models.ts';
import { GO_ON_CUT } from './context-window.ts';
import { ANSWER_CUT } from './cut-answer.ts';

/** The limit that a scripted model has. */
const MOST = 4_000;
const cut = (text: string, output = MOST): ModelOutcome => ({
  kind: 'message',
  content: [{ type: 'text', text }],
  usage: { input: 100, output, cacheRead: 0, cacheWrite: 0, cost: 0 },
  stop: 'length',
});
const script =
  (...outcomes: ModelOutcome[]): Script =>
  (_request, turn) =>
    outcomes[turn] ?? says('out of script');
const textOf = (message: ModelMessage | undefined): string => JSON.stringify(message?.content);

describe('an answer that was cut', () => {
  test('[A157] is gone on with once by itself, and is one answer for whoever waits for it', async () => {
    const kernel = new TestKernel(script(cut('Once upon '), says('a time.')));
    const page = await kernel.ready();
    expect(await page.run('a story')).toMatchObject({ status: 'ok', text: 'Once upon a time.' });
    const [, second] = kernel.models.requests;
    expect(textOf(second?.messages.at(-2))).toContain('Once upon ');
    expect(textOf(second?.messages.at(-1))).toContain(GO_ON_CUT);
  });

  test('[A157] cut again it is said, with a way to go on that works', async () => {
    const kernel = new TestKernel(script(cut('One '), cut('two '), says('three.')));
    const page = await kernel.ready();
    expect(await page.run('count')).toMatchObject({ status: 'error', error: ANSWER_CUT, text: 'One two ' });
    expect(JSON.stringify((await page.history()).messages.at(-1))).toContain(ANSWER_CUT);
    const more = await page.call('proc.continue', {});
    if (!more.ok) throw new Error(more.error);
    expect((await page.finished(more.runId)).payload).toMatchObject({ status: 'ok', text: 'three.' });
    expect(textOf(kernel.models.requests[2]?.messages.at(-1))).toContain(ANSWER_CUT);
  });

  test('[A157] one that has said nothing is not asked for once more: it would only think as long again', async () => {
    const silent: ModelOutcome = {
      ...cut(''),
      content: [{ type: 'thinking', thinking: 'hm' }],
    } as ModelOutcome;
    const kernel = new TestKernel(script(silent));
    const page = await kernel.ready();
    expect(await page.run('go')).toMatchObject({ status: 'error', error: ANSWER_CUT });
    expect(kernel.models.requests).toHaveLength(1);
  });

  test('[A157] where calls follow, what was said before them is not said again at the end', async () => {
    const kernel = new TestKernel(
      script(
        cut('I look '),
        calls({ name: 'Read', args: { target: 'gsv', path: '/proc/version' } }),
        says('Done.'),
      ),
    );
    const page = await kernel.ready();
    expect(await page.run('go')).toMatchObject({ status: 'ok', text: 'Done.' });
  });

  test('[A158] where the answer has filled the window, half of it is left for what came before', async () => {
    // Each takes more than a third of the window, and less than half.
    const long = 'x'.repeat(120_000);
    const full = new TestKernel(script(says(long), says(long), cut('One ', 50), says('two.')));
    const page = await full.ready();
    for (const words of ['a', 'b', 'c']) await page.run(words);
    const [, , third, fourth] = full.models.requests.map(({ messages }) => messages.length);
    expect(third).toBe(5);
    expect(full.models.requests[3]?.messages[0]).toMatchObject({ role: 'user' });
    expect(textOf(full.models.requests[3]?.messages[0])).toContain('earlier messages are not shown');
    expect(fourth).toBeLessThan(7);
  });

  test('[A158] a conversation whose policy is to stop then stops', async () => {
    const kernel = new TestKernel(script(cut('One ', 50), says('two.')));
    const page = await kernel.ready();
    await page.call('proc.conversation.policy.set', { overflow: 'fail' });
    expect(await page.run('go')).toMatchObject({
      status: 'error',
      error: expect.stringContaining('no longer fits'),
    });
    expect(kernel.models.requests).toHaveLength(1);
  });
});
