import { expect, test } from 'vitest';
import { TestKernel } from '../../../tests/support/kernel.ts';
import { calls, says } from '../../../tests/support/scripted-models.ts';

/** Lets an agent make one call and gives what it was told. */
async function told(
  name: string,
  args: Record<string, unknown>,
): Promise<{ text: string; isError: boolean; kernel: TestKernel }> {
  const kernel = new TestKernel((_request, turn) => (turn === 0 ? calls({ name, args }) : says('so be it')));
  const page = await kernel.ready();
  await page.call('sys.config.set', {
    key: 'users/1000/ai/tools/approval',
    value: '{"default":"auto","rules":[]}',
  });
  const sent = await page.call('proc.send', { message: 'free yourself' });
  if (!sent.ok) throw new Error(sent.error);
  await page.finished(sent.runId);
  const result = kernel.models.requests[1]?.messages.at(-1);
  if (result?.role !== 'toolResult') throw new Error('no result');
  const text = result.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
  return { text, isError: result.isError, kernel };
}

test.each([
  '/sys/config/users/1000/ai/tools/approval',
  '/sys/config/users/1000/ai/base_url',
  '/sys/config/config/ai/provider',
])('[K70] an agent cannot change its own limits through %s', async (path) => {
  const { isError, kernel } = await told('Write', { target: 'gsv', path, content: 'mine' });
  expect(isError).toBe(true);
  const page = kernel.page();
  await page.connect();
  const { entries } = await page.call('sys.config.get', {});
  expect(entries.map(({ value }) => value)).not.toContain('mine');
});

test('[K71] an agent cannot change settings by its shell', async () => {
  const input = 'echo mine > /sys/config/users/1000/ai/model; cat /sys/config/users/1000/ai/model';
  const { text } = await told('Shell', { target: 'gsv', input });
  expect(text).not.toContain('mine\n[exit 0]');
  expect(text).toContain('one');
});
