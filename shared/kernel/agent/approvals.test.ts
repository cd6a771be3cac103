import { describe, expect, test } from 'vitest';
import { Gate } from '../../../tests/support/gate.ts';
import { problems } from '../../../tests/support/history.ts';
import { TestKernel, type TestPage } from '../../../tests/support/kernel.ts';
import { calls, says } from '../../../tests/support/scripted-models.ts';

/** An agent that tries each command in turn, one a run. */
function trying(...inputs: string[]) {
  let at = 0;
  return new TestKernel(({ messages }) => {
    if (messages.at(-1)?.role === 'toolResult') return says('done');
    at += 1;
    return calls({
      name: 'Shell',
      args: { target: 'gsv', input: inputs[at - 1] ?? 'true' },
      id: `call-${at}`,
    });
  });
}

const lastResult = (kernel: TestKernel): { isError: boolean; text: string } => {
  const message = kernel.models.requests.at(-1)?.messages.findLast(({ role }) => role === 'toolResult');
  if (message?.role !== 'toolResult') throw new Error('no result');
  return {
    isError: message.isError,
    text: message.content.map((block) => ('text' in block ? block.text : '')).join(''),
  };
};

/** Holds the runs of a kernel back, from its next start on, before they look at their calls. */
function preparesAt(kernel: TestKernel): Gate {
  const gate = new Gate();
  kernel.models.described = gate.pass();
  return gate;
}

/** Waits for the n-th request of this page and answers it. */
async function decide(page: TestPage, n: number, decision: 'approve' | 'deny', remember = false) {
  await expect.poll(() => page.named('proc.run.hil.requested').length).toBe(n);
  const requestId = String(page.named('proc.run.hil.requested')[n - 1]?.requestId);
  return page.call('proc.hil', { requestId, decision, ...(remember ? { remember } : {}) });
}

describe('approvals', () => {
  test('[A57] a denied call is not executed, and the model is told', async () => {
    const kernel = trying('rm -r ~/context.d');
    const page = await kernel.ready();
    const { runId } = await page.send('go');
    await expect
      .poll(async () => (await page.history()).pendingHil)
      .toMatchObject({ toolName: 'Shell', syscall: 'shell.exec' });
    expect(page.named('proc.run.tool.started')).toEqual([]);
    expect(await decide(page, 1, 'deny')).toMatchObject({ ok: true, resumed: true, pendingHil: null });
    await page.finished(runId);
    expect(lastResult(kernel)).toMatchObject({ isError: true, text: expect.stringContaining('denied') });
    expect(await page.call('fs.read', { path: '~/context.d' })).toMatchObject({ ok: true });
    expect(problems((await page.history()).messages)).toEqual([]);
  });

  test('[A57] an approved call is executed once, and the answer cannot be given again', async () => {
    const kernel = trying('echo x >> once.txt');
    const page = await kernel.ready();
    const { runId } = await page.send('go');
    const approved = await decide(page, 1, 'approve');
    expect(approved).toMatchObject({ ok: true, resumed: true, decision: 'approve' });
    if (!approved.ok) throw new Error(approved.error);
    await page.finished(runId);
    const again = { requestId: approved.requestId, decision: 'approve' as const };
    expect(await page.call('proc.hil', again)).toMatchObject({ ok: false });
    expect(await page.call('fs.read', { path: 'once.txt' })).toMatchObject({ size: 2 });
    expect((await page.call('proc.approval.list', {})).approvals).toEqual([]);
  });

  test('[A58] a remembered one is narrow, listed and revocable', async () => {
    const kernel = trying('mkdir -p a/b', 'mkdir -p c', 'rm -r a', 'mkdir -p d; rm -r c', 'mkdir -p e');
    const page = await kernel.ready();
    const first = await page.send('one');
    expect(await decide(page, 1, 'approve', true)).toMatchObject({ remembered: true });
    await page.finished(first.runId);
    const { approvals } = await page.call('proc.approval.list', {});
    expect(approvals).toMatchObject([
      { syscall: 'shell.exec', target: 'gsv', words: expect.arrayContaining(['mkdir']) },
    ]);

    let asked = 1;
    const runs = async (text: string, isAsked: boolean): Promise<void> => {
      const { runId } = await page.send(text);
      if (isAsked) {
        asked += 1;
        await decide(page, asked, 'deny');
      }
      await page.finished(runId);
      expect(page.named('proc.run.hil.requested')).toHaveLength(asked);
    };
    const covered = approvals[0]?.words.join(' ') === 'mkdir' || approvals[0]?.words.join(' ') === 'mkdir -p';
    await runs('two', !covered);
    await runs('another command', true);
    await runs('a second command behind the first', true);
    const after = await kernel.restart();
    const kept = await after.call('proc.approval.list', {});
    expect(kept.approvals).toEqual(approvals);
    const { approvalId = '' } = approvals[0] ?? {};
    expect(await after.call('proc.approval.revoke', { approvalId })).toEqual({ revoked: true });
    expect(await after.call('proc.approval.revoke', { approvalId })).toEqual({ revoked: false });
    const { runId } = await after.send('five');
    await decide(after, 1, 'deny');
    await after.finished(runId);
  });

  test('[A58] a denial is not remembered, nor are another user’s approvals', async () => {
    const kernel = trying('rm x');
    await kernel.ready();
    kernel.kill();
    const bob = await kernel.addAccount({ uid: 1001, username: 'bob', gids: [100] });
    await kernel.boot();
    const [page, bobs] = [await kernel.signedIn(), await kernel.signedIn(bob)];
    const { runId } = await page.send('go');
    await decide(page, 1, 'deny', true);
    await page.finished(runId);
    expect((await page.call('proc.approval.list', {})).approvals).toEqual([]);
    expect((await bobs.call('proc.approval.list', {})).approvals).toEqual([]);
  });

  test('[A59] several calls are asked about one after another; those that need no answer do not wait', async () => {
    const kernel = new TestKernel((_request, turn) =>
      turn === 0
        ? calls(
            { name: 'Delete', args: { target: 'gsv', path: 'a' }, id: 'a' },
            { name: 'Delete', args: { target: 'laptop', path: 'b' }, id: 'b' },
            { name: 'Read', args: { target: 'gsv', path: '~/context.d/00-role.md' }, id: 'c' },
          )
        : says('done'),
    );
    const page = await kernel.ready();
    const { runId } = await page.send('go');
    await decide(page, 1, 'approve');
    await decide(page, 2, 'deny');
    await page.finished(runId);
    expect(
      page
        .named('proc.run.hil.requested')
        .map(({ callId }) => callId)
        .sort(),
    ).toEqual(['a', 'b']);
    expect(problems((await page.history()).messages)).toEqual([]);
  });

  test('[A59] a background process has nobody to ask: what would ask is a tool error', async () => {
    const kernel = trying('rm -r ~/context.d');
    const page = await kernel.ready();
    const spawned = await page.call('proc.spawn', { profile: 'cron' });
    if (!spawned.ok) throw new Error(spawned.error);
    expect(await page.run('go', spawned.pid)).toMatchObject({ status: 'ok' });
    expect(lastResult(kernel)).toMatchObject({
      isError: true,
      text: expect.stringContaining('nobody to ask'),
    });
    expect(page.named('proc.run.hil.requested')).toEqual([]);
  });

  test('[A59] an open request survives a kill and can be answered after it', async () => {
    const kernel = trying('echo x >> once.txt');
    const page = await kernel.ready();
    await page.send('go');
    await expect.poll(async () => (await page.history()).pendingHil).not.toBeNull();
    const requestId = (await page.history()).pendingHil?.requestId ?? '';
    const after = await kernel.restart();
    expect(await after.call('proc.hil', { requestId, decision: 'approve' })).toMatchObject({ resumed: true });
    await after.heard(({ signal }) => signal === 'proc.run.finished');
    expect(await after.call('fs.read', { path: 'once.txt' })).toMatchObject({ size: 2 });
    expect(after.named('proc.run.hil.requested')).toEqual([]);
  });

  test('[A59] a denial right after a kill is heard, too, and an approval outlives the next kill', async () => {
    const denied = trying('echo x >> once.txt');
    const page = await denied.ready();
    await page.send('go');
    await expect.poll(async () => (await page.history()).pendingHil).not.toBeNull();
    const requestId = (await page.history()).pendingHil?.requestId ?? '';
    const gate = preparesAt(denied);
    const after = await denied.restart();
    expect(await after.call('proc.hil', { requestId, decision: 'deny' })).toMatchObject({ resumed: true });
    gate.open();
    await after.heard(({ signal }) => signal === 'proc.run.finished');
    expect(lastResult(denied)).toMatchObject({ isError: true, text: expect.stringContaining('denied') });

    const approved = trying('echo x >> once.txt');
    const first = await approved.ready();
    await first.send('go');
    await expect.poll(async () => (await first.history()).pendingHil).not.toBeNull();
    const held = preparesAt(approved);
    const second = await approved.restart();
    const asked = (await second.history()).pendingHil?.requestId ?? '';
    const answer = await second.call('proc.hil', { requestId: asked, decision: 'approve' });
    expect(answer).toMatchObject({ resumed: true });
    held.open();
    const third = await approved.restart();
    await expect.poll(async () => (await third.call('proc.list', {})).processes[0]?.state).toBe('idle');
    expect((await third.history()).messages.at(-1)?.role).toBe('assistant');
    expect(third.named('proc.run.hil.requested')).toEqual([]);
  });
});
