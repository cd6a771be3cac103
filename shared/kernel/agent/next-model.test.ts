import { expect, test } from 'vitest';
import { lines } from '../../../tests/support/history.ts';
import { TestKernel, type TestPage } from '../../../tests/support/kernel.ts';
import { KernelPair } from '../../../tests/support/kernel-pair.ts';
import { calls, type Script, says } from '../../../tests/support/scripted-models.ts';
import type { ModelOutcome } from '../ports/models.ts';

const away: ModelOutcome = {
  kind: 'failed',
  error: 'example.org cannot be reached.',
  retryable: true,
  unreachable: true,
  partial: [],
  usage: null,
};

/** The network's model does as told; the one of this device always answers. */
const chain =
  (network: () => ModelOutcome): Script =>
  ({ choice }) =>
    choice.provider === 'wllama' ? says(`from ${choice.model} here`) : network();

async function configure(page: TestPage, settings: Record<string, string>): Promise<void> {
  for (const [name, value] of Object.entries(settings))
    await page.call('sys.config.set', { key: `users/1000/ai/${name}`, value });
}

async function history(page: TestPage) {
  const read = await page.history();
  return read.messages;
}

/** Who gave the newest answer. */
async function answeredBy(page: TestPage): Promise<unknown> {
  const last = (await history(page)).at(-1);
  const { provider, model } = (last?.content ?? {}) as { provider?: string; model?: string };
  return last?.role === 'assistant' ? `${provider}/${model}` : last?.role;
}

test('[A118] when the network is away the model of this device answers, at once, and the conversation says so', async () => {
  const kernel = new TestKernel(chain(() => away));
  const page = await kernel.ready();
  await configure(page, { local: 'wllama/small' });
  const { runId } = await page.send('hello');
  await page.finished(runId);
  const messages = await history(page);
  expect(lines(messages)).toEqual([
    'user: hello',
    expect.stringContaining('small on this device answers'),
    'assistant: from small here',
  ]);
  expect(await answeredBy(page)).toBe('wllama/small');
  expect(kernel.models.requests.map(({ choice }) => choice.provider)).toEqual(['scripted', 'wllama']);
  // The next run asks the network's model first again.
  kernel.models.script = chain(() => says('from the network'));
  await page.finished((await page.send('and now?')).runId);
  expect(await answeredBy(page)).toBe('scripted/one');
});

test('[A118] over budget the model of this device goes on, and nothing of it counts against the budget', async () => {
  const kernel = new TestKernel(chain(() => calls({ name: 'Read', args: { target: 'gsv', path: '~' } })));
  const page = await kernel.ready();
  await configure(page, { local: 'wllama/small', max_cost: '0.0005' });
  await page.finished((await page.send('hello')).runId);
  const messages = await history(page);
  expect(await answeredBy(page)).toBe('wllama/small');
  expect(lines(messages).join('\n')).toContain('A budget is used up.');
});

test('[A118] a chain that leaves a reason out stops there as before', async () => {
  const kernel = new TestKernel(chain(() => calls({ name: 'Read', args: { target: 'gsv', path: '~' } })));
  const page = await kernel.ready();
  await configure(page, { local: 'wllama/small', local_when: 'offline', max_cost: '0.0005' });
  await page.finished((await page.send('hello')).runId);
  expect(lines(await history(page)).join('\n')).not.toContain('on this device');
  expect(kernel.models.requests.every(({ choice }) => choice.provider === 'scripted')).toBe(true);
});

test('[A120] a conversation pinned to this device is answered by a model of it or not at all', async () => {
  const kernel = new TestKernel(chain(() => says('from the network')));
  const page = await kernel.ready();
  expect(await page.call('proc.conversation.pin', { private: true })).toMatchObject({
    ok: true,
    private: true,
  });
  await page.finished((await page.send('my secret')).runId);
  expect(lines(await history(page)).at(-1)).toContain('no model of this device is chosen');
  expect(kernel.models.requests).toEqual([]);
  await configure(page, { local: 'wllama/small' });
  await page.finished((await page.send('my other secret')).runId);
  expect(await answeredBy(page)).toBe('wllama/small');
  expect(kernel.models.requests.map(({ choice }) => choice.provider)).toEqual(['wllama']);
  // Nor does its first message name the process, which is known everywhere.
  const { processes } = await page.call('proc.list', {});
  expect(JSON.stringify(processes)).not.toContain('secret');
  await page.call('proc.conversation.pin', { private: false });
  await page.finished((await page.send('anything')).runId);
  expect(await answeredBy(page)).toBe('scripted/one');
});

test('[A121] in a pinned conversation nothing goes to the network or a device unasked, whatever was remembered', async () => {
  const tries: { name: string; args: Record<string, string>; id: string }[] = [
    { name: 'Shell', args: { target: 'gsv', input: 'curl https://example.org' }, id: 'one' },
    { name: 'Shell', args: { target: 'gsv', input: '$(cat how)' }, id: 'two' },
  ];
  const kernel = new TestKernel(({ messages }) => {
    const made = messages.at(-1)?.role === 'toolResult' ? undefined : tries.shift();
    return made ? calls(made) : says('done');
  });
  const page = await kernel.ready();
  await configure(page, { local: 'wllama/small', 'tools/approval': '{"default":"auto","rules":[]}' });
  await page.call('proc.conversation.pin', { private: true });
  for (const n of [1, 2]) {
    const { runId } = await page.send('go');
    await expect.poll(() => page.named('proc.run.hil.requested').length).toBe(n);
    const { pendingHil } = await page.history();
    await page.call('proc.hil', { requestId: String(pendingHil?.requestId), decision: 'deny' });
    await page.finished(runId);
  }
  tries.push({ name: 'Write', args: { target: 'gsv', path: 'a.txt', content: 'x' }, id: 'three' });
  await page.finished((await page.send('write')).runId);
  expect(page.named('proc.run.hil.requested')).toHaveLength(2);
  expect(await page.call('fs.read', { path: 'a.txt' })).toMatchObject({ ok: true });
});

test('[A122] the room and other browsers get nothing of a pinned conversation, until it is freed', async () => {
  const pair = await KernelPair.start(({ choice }) => says(`answer of ${choice.provider}`));
  const { a, b } = pair.pages;
  await pair.passing(configure(a, { local: 'wllama/small' }));
  await pair.passing(a.call('proc.conversation.pin', { private: true }));
  const begun = pair.room.clock.now();
  await pair.passing(a.finished((await pair.passing(a.send('only here'))).runId));
  // It waits for nothing that the room would have to say.
  expect(pair.room.clock.now() - begun).toBeLessThan(5_000);
  await pair.room.pass(60_000);
  const heard = JSON.stringify(b.signals);
  expect(heard).not.toContain('answer of wllama');
  const docs = pair.room.storage.names().filter((name) => name.startsWith('conv/'));
  expect(docs).toEqual([]);
  const there = await pair.passing(b.history());
  expect(there.messages).toEqual([]);
  await pair.passing(a.call('proc.conversation.pin', { private: false }));
  await pair.passing(a.finished((await pair.passing(a.send('for all'))).runId));
  await pair.until(async () => lines((await b.history()).messages).includes('user: for all'), 'b has it');
  expect(lines((await b.history()).messages)).toContain('user: only here');
});
