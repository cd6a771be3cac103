import { expect, test } from 'vitest';
import { TestKernel } from '../../tests/support/kernel.ts';
import { ManualClock } from '../../tests/support/manual-clock.ts';
import { calls, says } from '../../tests/support/scripted-models.ts';

test('[K1] a fresh kernel answers 425 until it is set up', async () => {
  const kernel = await new TestKernel().boot();
  const page = kernel.page();
  await expect(page.call('proc.list', {})).rejects.toMatchObject({
    code: 425,
    details: { setupMode: true, next: 'sys.setup' },
  });
});

test('[S206] a kernel that has stopped waits for nothing, and sets off nothing any more', async () => {
  const clock = new ManualClock();
  const kernel = new TestKernel(() => says('hello there'), { clock });
  const page = await kernel.ready();
  await page.run('hi');
  expect(clock.waiting).not.toEqual([]);
  await kernel.kernel.stop();
  expect(clock.waiting).toEqual([]);
});

test('[A30] a message becomes a run whose answer is stored', async () => {
  const kernel = new TestKernel(() => says('hello there'));
  const page = await kernel.ready();
  const sent = await page.call('proc.send', { message: 'hi' });
  if (!sent.ok) throw new Error(sent.error);
  const { payload } = await page.finished(sent.runId);
  expect(payload).toMatchObject({ status: 'ok', text: 'hello there' });
  const history = await page.call('proc.history', {});
  expect(history).toMatchObject({ ok: true, messageCount: 2 });
});

test('[A31] a tool call is executed and its result goes back to the model', async () => {
  const kernel = new TestKernel((_request, turn) =>
    turn === 0
      ? calls({ name: 'Write', args: { target: 'gsv', path: 'a.txt', content: 'one' } })
      : says('done'),
  );
  const page = await kernel.ready();
  const sent = await page.call('proc.send', { message: 'write it' });
  if (!sent.ok) throw new Error(sent.error);
  await page.finished(sent.runId);
  expect(kernel.models.requests[1]?.messages.at(-1)).toMatchObject({ role: 'toolResult', isError: false });
  expect(await page.call('fs.read', { path: 'a.txt' })).toMatchObject({ ok: true, size: 3 });
});
