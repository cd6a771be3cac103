import { describe, expect, test } from 'vitest';
import { archived, bytesOf } from '../../../tests/support/archives.ts';
import { Gate } from '../../../tests/support/gate.ts';
import { lines, problems } from '../../../tests/support/history.ts';
import { TestKernel, type TestPage } from '../../../tests/support/kernel.ts';
import { says } from '../../../tests/support/scripted-models.ts';

const increasing = (ids: number[]): boolean => ids.every((id, at) => at === 0 || id > (ids[at - 1] ?? 0));

describe('proc.reset', () => {
  test('[P11] archives the history as gzip JSON lines that its owner alone can read, and begins a new generation', async () => {
    const kernel = new TestKernel();
    await kernel.ready();
    kernel.kill();
    const bob = await kernel.addAccount({ uid: 1001, username: 'bob', gids: [100] });
    await kernel.boot();
    const page = await kernel.signedIn();
    await page.run('first');
    const done = await page.call('proc.reset', {});
    if (!done.ok) throw new Error(done.error);
    expect(done).toMatchObject({
      archivedMessages: 2,
      archives: [{ conversationId: 'default', generation: 0, messages: 2 }],
    });
    const path = done.archives[0]?.path ?? '';
    expect(path).toMatch(/^\/var\/sessions\/ada\/init:1000\/[^/]+\/default\.gen-0\.jsonl\.gz$/);
    const kept = await archived(page, path);
    expect(kept.map(({ role }) => role)).toEqual(['user', 'assistant']);
    const bobs = await kernel.signedIn(bob);
    expect(await bytesOf(bobs, path)).toBeNull();
    expect(await bobs.call('fs.read', { path: '/var/sessions/ada' })).toMatchObject({ ok: false });

    await page.run('second');
    const { messages, messageCount } = await page.history();
    const ids = [...kept, ...messages].map(({ id }) => id);
    expect([messageCount, new Set(ids).size, increasing(ids)]).toEqual([2, 4, true]);
    const after = await kernel.restart();
    expect(lines((await after.history()).messages)).toEqual(['user: second', 'assistant: ok']);
    const again = await after.call('proc.reset', {});
    expect(again).toMatchObject({ archives: [{ generation: 1, messages: 2 }] });
    const names = await after.call('fs.read', { path: '/var/sessions/ada/init:1000' });
    expect(names).toMatchObject({ ok: true, directories: [expect.any(String), expect.any(String)] });
  });

  test('[P11] an empty conversation leaves no archive', async () => {
    const page = await new TestKernel().ready();
    expect(await page.call('proc.reset', {})).toEqual({
      ok: true,
      pid: 'init:1000',
      archivedMessages: 0,
      archives: [],
    });
  });

  test('[P12] a run that goes on is stopped first, and queued messages are archived with the rest', async () => {
    const gate = new Gate();
    const kernel = new TestKernel(async () => {
      await gate.pass();
      return says('late');
    });
    const page = await kernel.ready();
    await page.send('one');
    await gate.reached();
    await page.send('two');
    const done = await page.call('proc.reset', {});
    if (!done.ok) throw new Error(done.error);
    const kept = await archived(page, done.archives[0]?.path ?? '');
    expect(kept.map(({ content }) => content[0]?.text)).toEqual(['one', 'Stopped by the user.', 'two']);
    gate.open();
    expect(await page.run('three')).toMatchObject({ status: 'ok' });
    expect(lines((await page.history()).messages)).toEqual(['user: three', 'assistant: late']);
  });

  test('[P13] a message sent in the middle of a reset belongs to the new generation', async () => {
    for (let round = 0; round < 5; round += 1) {
      const page = await new TestKernel().ready();
      for (const text of ['one', 'two']) await page.run(text);
      const reset = page.call('proc.reset', {});
      for (let late = 0; late < round; late += 1) await Promise.resolve();
      const { runId } = await page.send('three');
      const done = await reset;
      if (!done.ok) throw new Error(done.error);
      await page.finished(runId);
      const kept = (await archived(page, done.archives[0]?.path ?? '')).map(
        ({ content }) => content[0]?.text,
      );
      expect(kept).toEqual(['one', 'ok', 'two', 'ok']);
      expect(lines((await page.history()).messages)).toEqual(['user: three', 'assistant: ok']);
    }
  });

  test('[P13] when the archive cannot be written, the history stays', async () => {
    const kernel = new TestKernel();
    const page = await kernel.ready();
    await page.run('keep me');
    kernel.disk.refuse = new Error('full');
    expect(
      await page.call('proc.reset', {}).then(
        (done) => done.ok,
        () => false,
      ),
    ).toBe(false);
    kernel.disk.refuse = null;
    expect(lines((await page.history()).messages)).toEqual(['user: keep me', 'assistant: ok']);
    expect(await page.run('go on')).toMatchObject({ status: 'ok' });
  });
});

describe('proc.kill', () => {
  test('[P14] archives unless told not to, and the process is gone for good', async () => {
    const kernel = new TestKernel();
    const page = await kernel.ready();
    const spawned = await page.call('proc.spawn', { profile: 'task' });
    if (!spawned.ok) throw new Error(spawned.error);
    const { pid } = spawned;
    await page.run('work', pid);
    const late = page.call('proc.kill', { pid });
    const sent = await page.call('proc.send', { pid, message: 'too late' });
    const done = await late;
    if (!done.ok) throw new Error(done.error);
    expect(sent).toEqual({ ok: false, error: 'Process not found' });
    expect(await archived(page, done.archives[0]?.path ?? '')).toHaveLength(2);
    expect((await page.call('proc.list', {})).processes).toEqual([]);
    const isGone = async (from: TestPage): Promise<void> =>
      expect(await from.call('proc.history', { pid })).toMatchObject({
        ok: false,
        error: 'Process not found',
      });
    await isGone(page);
    await isGone(await kernel.restart());
    expect(kernel.disk.updates.some(({ doc }) => doc.startsWith(`conv/${pid}/default/g0/`))).toBe(false);
  });

  test('[P14] without archive nothing is left; the lasting process begins anew instead of ending', async () => {
    const page = await new TestKernel().ready();
    await page.run('gone');
    expect(await page.call('proc.kill', { pid: 'init:1000', archive: false })).toEqual({
      ok: true,
      pid: 'init:1000',
      archivedMessages: 0,
      archives: [],
    });
    expect((await page.history()).messageCount).toBe(0);
    expect(await page.run('hello again')).toMatchObject({ status: 'ok' });
  });
});

describe('proc.history', () => {
  test('[P15] pages by offset over 1,000 messages, whole and in order, also after a restart and a reset', async () => {
    const kernel = new TestKernel();
    const page = await kernel.ready();
    const total = 1010;
    let lastId = 0;
    for (let at = 0; at < total / 2; at += 1) await page.run(`m${at}`);
    const isWhole = async (reader: TestPage): Promise<void> => {
      const ids: number[] = [];
      for (let offset = 0; offset < total; offset += 150) {
        const read = await reader.call('proc.history', { offset, limit: 150 });
        if (!read.ok) throw new Error(read.error);
        expect([read.messageCount, problems(read.messages)]).toEqual([total, []]);
        ids.push(...read.messages.map(({ id }) => id));
      }
      expect([ids.length, increasing(ids)]).toEqual([total, true]);
      lastId = ids.at(-1) ?? 0;
      const newest = await reader.call('proc.history', { limit: 3 });
      expect(newest).toMatchObject({ truncated: true, messages: ids.slice(-3).map((id) => ({ id })) });
      expect(await reader.call('proc.history', { offset: total })).toMatchObject({
        messages: [],
        messageCount: total,
      });
    };
    await isWhole(page);
    await isWhole(await kernel.restart());
    const last = await kernel.restart();
    await last.call('proc.reset', {});
    await last.run('new');
    const ids = (await last.history()).messages.map(({ id }) => id);
    expect([ids.length, increasing([lastId, ...ids])]).toEqual([2, true]);
  }, 60_000);
});
