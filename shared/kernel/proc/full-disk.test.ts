import { describe, expect, test } from 'vitest';
import { archived } from '../../../tests/support/archives.ts';
import { readTables } from '../../../tests/support/edit-doc.ts';
import { TestKernel, type TestPage } from '../../../tests/support/kernel.ts';
import { says } from '../../../tests/support/scripted-models.ts';

const FULL = new Error('This device has no space left for GSV.');

/** A kernel with a process that was talked to, on a disk that is full but for what is kept in reserve. */
async function full(): Promise<{ kernel: TestKernel; page: TestPage; pid: string }> {
  const kernel = new TestKernel(() => says('x'.repeat(10_000)));
  const page = await kernel.ready();
  const spawned = await page.call('proc.spawn', { profile: 'task' });
  const pid = spawned.ok ? spawned.pid : '';
  await page.run('hello', pid);
  await page.run('hello, init');
  kernel.disk.refuse = FULL;
  kernel.disk.reserve = () => {
    kernel.disk.refuse = null;
  };
  return { kernel, page, pid };
}

describe('on a full disk', () => {
  test('[S111] a process is ended, its history archived, and stays ended', async () => {
    const { kernel, page, pid } = await full();
    const killed = await page.call('proc.kill', { pid });
    expect(killed).toMatchObject({ ok: true, pid, archivedMessages: 2 });
    expect(kernel.disk.reserve, 'it was given free').toBe(null);
    const again = await kernel.restart();
    expect((await again.call('proc.list', {})).processes.map((row) => row.pid)).not.toContain(pid);
    expect(readTables(kernel.disk).processes.get(pid)?.state).toBe('killed');
    const [path = ''] = killed.ok ? killed.archives.map((archive) => archive.path) : [];
    expect(await archived(again, path)).toHaveLength(2);
  });

  test('[S111] a conversation is reset, its history archived, and it goes on', async () => {
    const { kernel, page } = await full();
    expect(await page.call('proc.reset', {})).toMatchObject({ ok: true, archivedMessages: 2 });
    const again = await kernel.restart();
    expect((await again.history()).messages).toEqual([]);
    await again.run('anew');
    expect((await again.history()).messages).toHaveLength(2);
  });

  test('[S111] where nothing can be given free it is refused in words, and nothing is lost', async () => {
    const { kernel, page, pid } = await full();
    kernel.disk.reserve = null;
    for (const name of ['proc.kill', 'proc.reset'] as const)
      expect(await page.call(name, { pid })).toMatchObject({
        ok: false,
        error: expect.stringContaining('no space left'),
      });
    kernel.disk.refuse = null;
    expect((await page.history(pid)).messages).toHaveLength(2);
    expect(await page.call('proc.kill', { pid })).toMatchObject({ ok: true, archivedMessages: 2 });
  });
});
