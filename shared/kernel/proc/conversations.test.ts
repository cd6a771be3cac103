import { describe, expect, test } from 'vitest';
import { archived } from '../../../tests/support/archives.ts';
import { Gate } from '../../../tests/support/gate.ts';
import { lines } from '../../../tests/support/history.ts';
import { TestKernel, type TestPage } from '../../../tests/support/kernel.ts';
import { calls, type Script, says } from '../../../tests/support/scripted-models.ts';
import type { Result } from '../../syscalls/table.ts';

const PID = 'init:1000';

function gated(answer: Script = () => says('ok')) {
  const gate = new Gate();
  const kernel = new TestKernel(async (request, turn) => {
    await gate.pass();
    return answer(request, turn);
  });
  return { gate, kernel };
}

async function done<T extends { ok: boolean }>(call: Promise<T>): Promise<Extract<T, { ok: true }>> {
  const answer = await call;
  if (!answer.ok) throw new Error(JSON.stringify(answer));
  return answer as Extract<T, { ok: true }>;
}

const open = (page: TestPage, conversationId: string, title?: string) =>
  done(page.call('proc.conversation.open', { conversationId, ...(title ? { title } : {}) }));
const send = (page: TestPage, conversationId: string, message: string) =>
  done(page.call('proc.send', { conversationId, message }));
const said = async (page: TestPage, conversationId: string): Promise<string[]> =>
  lines((await done(page.call('proc.history', { conversationId }))).messages);
const ids = ({ conversations }: Extract<Result<'proc.conversation.list'>, { ok: true }>): string[] =>
  conversations.map(({ id }) => id).sort();

describe('conversations of a process', () => {
  test('[U341] its first conversation gives the process its name, unless it is private', async () => {
    const page = await new TestKernel().ready();
    const label = async (): Promise<string | null | undefined> =>
      (await page.call('proc.list', {})).processes.find(({ pid }) => pid === PID)?.label;
    await open(page, 'build', 'The build');
    expect(await label()).toBe('Home');
    await open(page, 'default', 'The house');
    expect(await label()).toBe('The house');
    await done(page.call('proc.conversation.pin', { conversationId: 'default', private: true }));
    await open(page, 'default', 'A secret');
    expect(await label()).toBe('The house');
  });

  test('[P100] each has messages of its own; `default` is there from the beginning', async () => {
    const page = await new TestKernel().ready();
    expect(ids(await done(page.call('proc.conversation.list', {})))).toEqual(['default']);
    const made = await open(page, 'build', '  The build  ');
    expect(made).toMatchObject({
      created: true,
      conversation: { id: 'build', title: 'The build', generation: 0 },
    });
    const { runId } = await send(page, 'build', 'in build');
    await page.finished(runId);
    await page.run('in the first');
    expect(await said(page, 'build')).toEqual(['user: in build', 'assistant: ok']);
    expect(await said(page, 'default')).toEqual(['user: in the first', 'assistant: ok']);
    const listed = await done(page.call('proc.conversation.list', {}));
    expect(listed.conversations.map(({ id, messageCount }) => [id, messageCount]).sort()).toEqual([
      ['build', 2],
      ['default', 2],
    ]);
    const unnamed = await done(page.call('proc.conversation.open', {}));
    expect(unnamed.conversation.id).toMatch(/^[0-9a-f-]{36}$/);
    expect((await page.call('proc.conversation.get', { conversationId: 'nobody' })).ok).toBe(true);
    expect(await page.call('proc.send', { conversationId: 'nobody', message: 'x' })).toEqual({
      ok: false,
      error: 'There is no such conversation',
    });
  });

  test('[P101] a closed one keeps its history and takes no message until it is opened again', async () => {
    const page = await new TestKernel().ready();
    await open(page, 'build');
    await page.finished((await send(page, 'build', 'one')).runId);
    expect(await page.call('proc.conversation.close', { conversationId: 'build' })).toMatchObject({
      closed: true,
    });
    expect(await page.call('proc.conversation.close', { conversationId: 'build' })).toMatchObject({
      closed: false,
    });
    expect(await page.call('proc.send', { conversationId: 'build', message: 'x' })).toMatchObject({
      ok: false,
    });
    expect(ids(await done(page.call('proc.conversation.list', {})))).toEqual(['default']);
    expect(ids(await done(page.call('proc.conversation.list', { includeClosed: true })))).toEqual([
      'build',
      'default',
    ]);
    expect(await open(page, 'build')).toMatchObject({ created: false, conversation: { status: 'open' } });
    await page.finished((await send(page, 'build', 'two')).runId);
    expect(await said(page, 'build')).toEqual(['user: one', 'assistant: ok', 'user: two', 'assistant: ok']);
  });

  test('[P102] one of them has its run at a time; the oldest message of the others comes next', async () => {
    const { gate, kernel } = gated();
    const page = await kernel.ready();
    await open(page, 'a');
    await open(page, 'b');
    const first = await page.send('first');
    await gate.reached();
    const inB = await send(page, 'b', 'second');
    await new Promise((resolve) => setTimeout(resolve, 2));
    const inA = await send(page, 'a', 'third');
    expect([first.queued, inB.queued, inA.queued]).toEqual([false, true, true]);
    expect(kernel.models.requests).toHaveLength(1);
    expect((await page.call('proc.list', {})).processes[0]).toMatchObject({ state: 'running' });
    gate.open();
    for (const { runId } of [first, inB, inA]) await page.finished(runId);
    const order = page.named('proc.run.started').map(({ conversationId }) => conversationId);
    expect(order).toEqual(['default', 'b', 'a']);
    const running = page.signals.flatMap(({ signal, payload: { conversationId } }) =>
      signal === 'proc.run.started'
        ? [`+${conversationId}`]
        : signal === 'proc.run.finished'
          ? [`-${conversationId}`]
          : [],
    );
    expect(running).toEqual(['+default', '-default', '+b', '-b', '+a', '-a']);
    await expect.poll(async () => (await page.call('proc.list', {})).processes[0]?.state).toBe('idle');
  });

  test('[P103] a restart goes on with every conversation that has work', async () => {
    const { gate, kernel } = gated();
    const page = await kernel.ready();
    for (const id of ['a', 'b']) await open(page, id);
    await send(page, 'a', 'in a');
    await gate.reached();
    await send(page, 'b', 'in b');
    await page.send('in the first');
    gate.open();
    const after = await kernel.restart();
    for (const [id, text] of [
      ['a', 'in a'],
      ['b', 'in b'],
      ['default', 'in the first'],
    ] as const)
      await expect.poll(() => said(after, id)).toEqual([`user: ${text}`, 'assistant: ok']);
    await expect.poll(async () => (await after.call('proc.list', {})).processes[0]?.state).toBe('idle');
  });

  test('[P104] a stop, an approval, a queued message and an export are of the conversation that is named', async () => {
    const { gate, kernel } = gated((_, turn) =>
      turn === 0
        ? calls({ name: 'Shell', args: { target: 'gsv', input: 'rm -rf ~/nothing' } })
        : says('done'),
    );
    const page = await kernel.ready();
    await open(page, 'b', 'Bee');
    gate.open();
    await send(page, 'b', 'clean up');
    const { payload } = await page.heard(({ signal }) => signal === 'proc.run.hil.requested');
    const { pendingHil } = await done(page.call('proc.history', { conversationId: 'b' }));
    expect(pendingHil).toMatchObject({ conversationId: 'b', requestId: payload.requestId });
    expect((await page.history()).pendingHil).toBeNull();
    expect(await page.call('proc.abort', { conversationId: 'default' })).toMatchObject({ aborted: false });
    const { runId } = await page.send('waits');
    expect(
      await page.call('proc.hil', { requestId: String(payload.requestId), decision: 'approve' }),
    ).toMatchObject({
      ok: true,
      resumed: true,
    });
    await page.finished(runId);
    expect((await said(page, 'b')).at(-1)).toBe('assistant: done');
    const exported = await done(page.call('proc.export', { conversationId: 'b', format: 'markdown' }));
    expect(exported.text).toContain('clean up');
    expect([exported.name, exported.text.includes('waits')]).toEqual(['bee.md', false]);
  });

  test('[P104] the run that is going on is stopped also when no conversation is named, and one that waits is not', async () => {
    const { gate, kernel } = gated();
    const page = await kernel.ready();
    await open(page, 'b');
    const { runId } = await send(page, 'b', 'stop me');
    await gate.reached();
    const waiting = await page.send('waits');
    expect(await page.call('proc.abort', {})).toMatchObject({ aborted: true, runId });
    gate.open();
    await page.finished(waiting.runId);
    expect(await said(page, 'default')).toEqual(['user: waits', 'assistant: ok']);
    expect((await said(page, 'b')).at(-1)).toBe('system: Stopped by the user.');
  });

  test('[P105] reset and kill archive each conversation into one directory; what was queued is in it', async () => {
    const { gate, kernel } = gated();
    const page = await kernel.ready();
    for (const id of ['build', 'empty']) await open(page, id);
    await page.send('in the first');
    await gate.reached();
    await send(page, 'build', 'waits in build');
    const reset = await done(page.call('proc.reset', {}));
    const files = reset.archives.map(({ path }) => path.slice(path.lastIndexOf('/') + 1)).sort();
    expect(files).toEqual(['build.gen-0.jsonl.gz', 'default.gen-0.jsonl.gz']);
    expect(new Set(reset.archives.map(({ path }) => path.slice(0, path.lastIndexOf('/'))))).toEqual(
      new Set([reset.archivedTo]),
    );
    gate.open();
    expect(await said(page, 'build')).toEqual([]);
    expect(await page.call('proc.conversation.get', { conversationId: 'build' })).toMatchObject({
      conversation: { generation: 1, messageCount: 0 },
    });
    const kept = await archived(page, `${reset.archivedTo}/build.gen-0.jsonl.gz`);
    expect(kept.map(({ content }) => content[0]?.text)).toEqual(['waits in build']);
    const spawned = await done(page.call('proc.spawn', { profile: 'task', prompt: 'work' }));
    await done(page.call('proc.conversation.open', { pid: spawned.pid, conversationId: 'side' }));
    await done(page.call('proc.send', { pid: spawned.pid, conversationId: 'side', message: 'aside' }));
    const killed = await done(page.call('proc.kill', { pid: spawned.pid }));
    expect(killed.archives.map(({ conversationId }) => conversationId).sort()).toEqual(['default', 'side']);
    expect(await page.call('proc.conversation.list', { pid: spawned.pid })).toMatchObject({ ok: false });
  });

  test('[P106] one conversation is reset alone: the others go on', async () => {
    const { gate, kernel } = gated();
    const page = await kernel.ready();
    await open(page, 'b');
    const { runId } = await page.send('goes on');
    await gate.reached();
    await send(page, 'b', 'away with it');
    const reset = await done(page.call('proc.conversation.reset', { conversationId: 'b' }));
    expect(reset).toMatchObject({ conversationId: 'b', generation: 1, archivedMessages: 1 });
    expect(reset.archivedTo).toMatch(/^\/var\/sessions\/ada\/init:1000\/[^/]+\/b\.gen-0\.jsonl\.gz$/);
    gate.open();
    await page.finished(runId);
    expect(await said(page, 'default')).toEqual(['user: goes on', 'assistant: ok']);
    expect(await said(page, 'b')).toEqual([]);
  });

  test('[P107] what comes late for an old generation changes nothing in the new one', async () => {
    const { gate, kernel } = gated(() => says('too late'));
    const page = await kernel.ready();
    await open(page, 'b');
    await send(page, 'b', 'slow');
    await gate.reached();
    await done(page.call('proc.conversation.reset', { conversationId: 'b' }));
    gate.open();
    await page.run('another');
    expect(await said(page, 'b')).toEqual([]);
  });

  test('[P108] pages follow the list of conversations, and one of them by its id', async () => {
    const page = await new TestKernel().ready();
    await page.run('hello');
    const list = await page.call('view.open', { view: 'conversations', pid: PID });
    expect(list.rows.map(({ key }) => key)).toEqual(['default']);
    await open(page, 'b', 'Bee');
    const view = await page.call('view.open', { view: 'conversation', pid: PID, conversationId: 'b' });
    await page.finished((await send(page, 'b', 'in b')).runId);
    type Patch = { viewId: string; put: { key: string; value: Record<string, unknown> }[] };
    const put = (viewId: string) =>
      (page.named('view.patch') as Patch[])
        .filter((patch) => patch.viewId === viewId)
        .flatMap((patch) => patch.put);
    await expect.poll(() => put(view.viewId).filter(({ key }) => key.startsWith('m:')).length).toBe(2);
    await expect
      .poll(() => put(list.viewId).findLast(({ key }) => key === 'b')?.value)
      .toMatchObject({ title: 'Bee', messageCount: 2, state: 'idle' });
  });
});
