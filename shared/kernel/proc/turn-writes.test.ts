import { expect, test } from 'vitest';
import { TestKernel } from '../../../tests/support/kernel.ts';
import { says } from '../../../tests/support/scripted-models.ts';

test('[K133] a turn of text writes its beginning, its answer with its end, and what the process is doing, each once', async () => {
  const kernel = new TestKernel(() => says('an answer'));
  const page = await kernel.ready();
  await page.run('first');
  await page.run('second');
  const before = kernel.disk.updates.length;
  await page.run('third');
  const written = new Map<string, number>();
  for (const { doc } of kernel.disk.updates.slice(before)) written.set(doc, (written.get(doc) ?? 0) + 1);
  const of = (name: string): number => [...written].find(([doc]) => doc.endsWith(name))?.[1] ?? 0;
  // The process begins and ends; what was used is counted.
  expect(of('system')).toBeLessThanOrEqual(3);
  expect(of('default/state')).toBeLessThanOrEqual(2);
  expect(of('default/g0/000000')).toBe(2);
});
