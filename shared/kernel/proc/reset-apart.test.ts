import { expect, test } from 'vitest';
import { Gate } from '../../../tests/support/gate.ts';
import { lines, problems } from '../../../tests/support/history.ts';
import type { TestPage } from '../../../tests/support/kernel.ts';
import { KernelPair } from '../../../tests/support/kernel-pair.ts';
import { calls, says } from '../../../tests/support/scripted-models.ts';

const STOPPED = 'system: Stopped: the conversation was reset in another browser.';

/** A run of a's waits for the laptop, and b sees its call. */
async function waiting() {
  const gate = new Gate();
  const pair = await KernelPair.start(({ messages }) =>
    messages.some(({ role }) => role === 'toolResult')
      ? says('all done')
      : calls({ name: 'Shell', args: { target: 'laptop', input: 'make' } }),
  );
  await pair.device(async () => {
    await gate.pass();
    return { data: { status: 'completed', output: 'made', exitCode: 0 } };
  });
  await pair.passing(pair.pages.a.send('go'));
  await pair.passing(gate.reached());
  await pair.until(async () => (await shown(pair.pages.b)).length === 2, 'b sees the call');
  return { pair, gate };
}

async function messagesOf(page: TestPage) {
  const read = await page.call('proc.history', { limit: 1000 });
  return read.ok ? read.messages : [];
}

const shown = async (page: TestPage): Promise<string[]> => lines(await messagesOf(page));

/** Waits until all have the same history, which ends with the note, and in which each result follows its call. */
async function endsStopped(pair: KernelPair, pages: readonly TestPage[]): Promise<string[]> {
  const agreed = async (): Promise<boolean> => {
    const [first, ...others] = await Promise.all(pages.map(shown));
    return first?.includes(STOPPED) === true && others.every((one) => `${one}` === `${first}`);
  };
  await pair.until(agreed, 'all show the note');
  const [first] = pages;
  const messages = first ? await messagesOf(first) : [];
  expect(problems(messages)).toEqual([]);
  return lines(messages);
}

test('[P367] a run that a browser which was cut off has reset ends with a note that says so, behind what its calls came to', async () => {
  const { pair } = await waiting();
  const { a, b } = pair.pages;
  pair.hosts.b.cut();
  await pair.pass(1_000);
  expect(await pair.passing(b.call('proc.reset', {}))).toMatchObject({ ok: true, archivedMessages: 2 });
  expect(await shown(a)).toHaveLength(2);
  pair.hosts.b.mend();
  const history = await endsStopped(pair, [a, b]);
  expect(history).toEqual([
    'assistant: toolCall',
    'toolResult: Interrupted: the run was stopped before this finished.',
    STOPPED,
  ]);
  const { processes } = await b.call('proc.list', {});
  expect(processes.map(({ state }) => state)).toEqual(['idle']);
});

test('[P368] taken over after such a reset it ends in the same way, and its calls stand once when its browser is back', async () => {
  const { pair, gate } = await waiting();
  const { b } = pair.pages;
  pair.a.kill();
  for (const host of [pair.hosts.a, pair.hosts.b]) host.cut();
  await pair.pass(1_000);
  expect(await pair.passing(b.call('proc.reset', {}))).toMatchObject({ ok: true });
  pair.hosts.b.mend();
  await pair.pass(70_000);
  expect(await pair.passing(b.call('proc.takeover', {}))).toMatchObject({ ok: true });
  const alone = await endsStopped(pair, [b]);
  gate.open();
  await pair.passing(pair.a.boot());
  const a = await pair.passing(pair.a.signedIn());
  pair.hosts.a.mend();
  await pair.pass(20_000);
  const together = await endsStopped(pair, [a, b]);
  expect(together.slice(0, alone.length)).toEqual(alone);
  expect(together.filter((line) => line.startsWith('toolResult'))).toHaveLength(1);
});
