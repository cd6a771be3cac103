import { expect, test } from 'vitest';
import { TestKernel } from '../../../tests/support/kernel.ts';
import { calls, says } from '../../../tests/support/scripted-models.ts';

const FENCE = '```';

async function exported(format: 'markdown' | 'json') {
  const kernel = new TestKernel((_request, turn) =>
    turn === 0
      ? calls({ name: 'Shell', args: { target: 'gsv', input: `echo '${FENCE} not the end'` } })
      : says('That is **all**.'),
  );
  const page = await kernel.ready();
  const spawned = await page.call('proc.spawn', { profile: 'task', label: 'Über/die Reise: 1' });
  if (!spawned.ok) throw new Error(spawned.error);
  await page.run('go', spawned.pid);
  const answer = await page.call('proc.export', { pid: spawned.pid, format });
  if (!answer.ok) throw new Error(answer.error);
  return { ...answer, history: await page.history(spawned.pid) };
}

test('[P39] a conversation as Markdown reads as it was, with calls and results in fences that they cannot end', async () => {
  const { name, text } = await exported('markdown');
  expect(name).toBe('uber-die-reise-1.md');
  expect(text).toMatch(/^# Über\/die Reise: 1\n\n## User · \d{4}-/);
  expect(text).toContain(`Calls **Shell**:\n\n${FENCE}\`json\n{\n  "target": "gsv",`);
  expect(text).toMatch(/## Result of Shell · [^\n]+\n\nDone on gsv:\n\n````\n``` not the end\n/);
  expect(text.trimEnd().endsWith('That is **all**.')).toBe(true);
});

test('[P39] as JSON it has the messages as the history gives them', async () => {
  const { name, text, history } = await exported('json');
  expect(name).toBe('uber-die-reise-1.json');
  expect(JSON.parse(text)).toMatchObject({ label: 'Über/die Reise: 1', messages: history.messages });
});

test('[P39] an empty conversation is exported, a foreign one is not', async () => {
  const page = await new TestKernel().ready();
  const empty = await page.call('proc.export', { format: 'markdown' });
  expect(empty).toEqual({ ok: true, name: 'home.md', text: '# Home\n\n' });
  expect(await page.call('proc.export', { pid: 'init:0', format: 'json' })).toMatchObject({ ok: false });
});
