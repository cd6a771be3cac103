import { describe, expect, test } from 'vitest';
import { editTables } from '../../../tests/support/edit-doc.ts';
import { Gate } from '../../../tests/support/gate.ts';
import { lines, problems } from '../../../tests/support/history.ts';
import { TestKernel, type TestPage } from '../../../tests/support/kernel.ts';
import { calls, says } from '../../../tests/support/scripted-models.ts';
import { turns } from '../../../tests/support/turns.ts';
import type { ModelRequest } from '../ports/models.ts';

const readNote = () => calls({ name: 'Read', args: { target: 'gsv', path: '~/context.d/10-user.md' } });
const asked = ({ messages }: ModelRequest): string =>
  messages
    .flatMap((message) => (message.role === 'user' ? message.content : []))
    .map((block) => ('text' in block ? block.text : ''))
    .at(-1) ?? '';
const queueOf = async (page: TestPage) => (await page.call('proc.list', {})).processes;

/** A kernel whose model waits at a gate before each answer. */
function gated(answer: (turn: number, request: ModelRequest) => ReturnType<typeof says>) {
  const gate = new Gate();
  const kernel = new TestKernel(async (request, turn) => {
    await gate.pass();
    return answer(turn, request);
  });
  return { gate, kernel };
}

describe('proc.send', () => {
  test('[P1] answers when the message is on disk: killed at once, the message is there and is answered', async () => {
    const { gate, kernel } = gated(() => says('answer'));
    const page = await kernel.ready();
    await page.send('remember me');
    gate.open();
    const after = await kernel.restart();
    await expect
      .poll(async () => lines((await after.history()).messages))
      .toEqual(['user: remember me', 'assistant: answer']);
  });

  test('[P23] a run goes on although what it said in the list came back from the room as idle', async () => {
    const { gate, kernel } = gated(() => says('answer'));
    const page = await kernel.ready();
    await page.send('go on');
    await kernel.kernel.stop();
    editTables(kernel.disk, (tables) => {
      const { processStates } = tables;
      for (const key of processStates.keys()) processStates.patch(key, { state: 'idle', queuedCount: 0 });
    });
    gate.open();
    const after = await kernel.restart();
    await expect
      .poll(async () => lines((await after.history()).messages))
      .toEqual(['user: go on', 'assistant: answer']);
  });

  test('[P2] rejects when the disk refuses, and keeps nothing of it', async () => {
    const kernel = new TestKernel(() => says('answer'));
    const page = await kernel.ready();
    await page.run('first');
    const view = await page.call('view.open', { view: 'conversation', pid: 'init:1000' });
    kernel.disk.refuse = new Error('the disk is full');
    expect(await page.call('proc.send', { message: 'lost' })).toMatchObject({
      ok: false,
      error: expect.stringContaining('the disk is full'),
    });
    expect(kernel.models.requests).toHaveLength(1);
    kernel.disk.refuse = null;
    await page.run('second');
    const expected = ['user: first', 'assistant: answer', 'user: second', 'assistant: answer'];
    expect(lines((await page.history()).messages)).toEqual(expected);
    expect(JSON.stringify(kernel.models.requests)).not.toContain('lost');
    expect(view.total).toBe(2);
    const after = await kernel.restart();
    expect(lines((await after.history()).messages)).toEqual(expected);
  });

  test('[P2] nor is a queued message kept that could not be stored', async () => {
    const { gate, kernel } = gated(() => says('ok'));
    const page = await kernel.ready();
    const { runId } = await page.send('first');
    await gate.reached();
    kernel.disk.refuse = new Error('full');
    expect(await page.call('proc.send', { message: 'lost' })).toMatchObject({ ok: false });
    kernel.disk.refuse = null;
    gate.open();
    await page.finished(runId);
    await turns(10);
    expect(lines((await page.history()).messages)).toEqual(['user: first', 'assistant: ok']);
  });

  test('[P3] a process is found by its user alone; foreign and unknown ones are operation errors', async () => {
    const kernel = new TestKernel();
    await kernel.ready();
    kernel.kill();
    const bob = await kernel.addAccount({ uid: 1001, username: 'bob', gids: [100] });
    await kernel.boot();
    const [adas, bobs] = [await kernel.signedIn(), await kernel.signedIn(bob)];
    await adas.run('private');
    const pid = 'init:1000';
    for (const [name, args] of [
      ['proc.send', { pid, message: 'x' }],
      ['proc.history', { pid }],
      ['proc.abort', { pid }],
      ['proc.reset', { pid }],
      ['proc.kill', { pid }],
      ['proc.hil', { pid, requestId: 'x', decision: 'approve' }],
      ['proc.retry', { pid }],
      ['proc.queue.remove', { pid, messageId: 'x' }],
      ['proc.spawn', { profile: 'task', parentPid: pid }],
    ] as const) {
      expect((await bobs.peer.call(name, args)).data).toEqual({ ok: false, error: 'Permission denied' });
      expect(
        (
          await adas.peer.call(name, {
            ...args,
            ...('parentPid' in args ? { parentPid: 'no' } : { pid: 'no' }),
          })
        ).data,
      ).toEqual({
        ok: false,
        error: 'Process not found',
      });
    }
    await expect(bobs.call('proc.list', { uid: 1000 })).rejects.toMatchObject({ code: 403 });
    expect((await bobs.call('proc.list', {})).processes).toEqual([]);
    expect((await adas.history()).messageCount).toBe(2);
  });
});

describe('the queue', () => {
  test('[P4] a message sent during a run waits, and joins it where tool results go back', async () => {
    const { gate, kernel } = gated((turn) => (turn === 0 ? readNote() : says('both seen')));
    const page = await kernel.ready();
    const { runId } = await page.send('one');
    await gate.reached();
    expect((await page.send('two')).queued).toBe(true);
    gate.open();
    await page.finished(runId);
    expect(lines((await page.history()).messages)).toEqual([
      'user: one',
      'assistant: toolCall',
      expect.stringContaining('toolResult:'),
      'user: two',
      'assistant: both seen',
    ]);
    expect(page.named('proc.run.finished')).toHaveLength(1);
  });

  test('[P5] without such a place it becomes the next run, in order, under the run id that was told', async () => {
    const { gate, kernel } = gated((_turn, request) => says(`re ${asked(request)}`));
    const page = await kernel.ready();
    const first = await page.send('one');
    await gate.reached();
    const [second, third] = [await page.send('two'), await page.send('three')];
    gate.open();
    for (const { runId } of [first, second, third]) await page.finished(runId);
    expect(lines((await page.history()).messages)).toEqual([
      'user: one',
      'assistant: re one',
      'user: two',
      'assistant: re two',
      'user: three',
      'assistant: re three',
    ]);
    expect(page.named('proc.run.started').map(({ queuedCount }) => queuedCount)).toEqual([0, 1, 0]);
  });

  test('[P6] a queued message can be taken back, and comes back with its text', async () => {
    const { gate, kernel } = gated(() => says('ok'));
    const page = await kernel.ready();
    const { runId } = await page.send('one');
    await gate.reached();
    await page.send('two');
    const view = await page.call('view.open', { view: 'conversation', pid: 'init:1000' });
    const row = view.rows.find(({ key }) => key.startsWith('q:'))?.value;
    const messageId = String(row?.messageId);
    expect(await page.call('proc.queue.remove', { messageId })).toEqual({
      ok: true,
      removed: true,
      message: 'two',
    });
    expect(await page.call('proc.queue.remove', { messageId })).toEqual({ ok: true, removed: false });
    gate.open();
    await page.finished(runId);
    expect(lines((await page.history()).messages)).toEqual(['user: one', 'assistant: ok']);
  });

  test('[P7] queued messages survive a kill, and none is lost or said twice', async () => {
    const { gate, kernel } = gated((_turn, request) => says(`re ${asked(request)}`));
    const page = await kernel.ready();
    await page.send('one');
    await gate.reached();
    for (const text of ['two', 'three']) await page.send(text);
    gate.open();
    const after = await kernel.restart();
    await expect.poll(async () => (await after.history()).messageCount).toBe(6);
    const users = lines((await after.history()).messages).filter((line) => line.startsWith('user'));
    expect(users).toEqual(['user: one', 'user: two', 'user: three']);
  });
});

describe('proc.abort', () => {
  test('[P8] stops a generation; the next queued message goes on', async () => {
    const { gate, kernel } = gated(() => says('ok'));
    const page = await kernel.ready();
    const { runId } = await page.send('one');
    await gate.reached();
    const next = await page.send('two');
    const aborted = await page.call('proc.abort', {});
    expect(aborted).toMatchObject({
      ok: true,
      aborted: true,
      runId,
      interruptedToolCalls: 0,
      continuedQueuedRunId: next.runId,
    });
    expect((await page.finished(runId)).payload).toMatchObject({ status: 'aborted', aborted: true });
    gate.open();
    await page.finished(next.runId);
    expect(lines((await page.history()).messages)).toEqual([
      'user: one',
      'system: Stopped by the user.',
      'user: two',
      'assistant: ok',
    ]);
    expect(await page.call('proc.abort', {})).toMatchObject({ aborted: false });
  });

  test('[P9] stops tools under way: each call has its result, and the model is not asked again', async () => {
    const kernel = new TestKernel(() =>
      calls(
        { name: 'Shell', args: { target: 'gsv', input: 'sleep 25' }, id: 'a' },
        { name: 'Shell', args: { target: 'gsv', input: 'echo second' }, id: 'b' },
      ),
    );
    const page = await kernel.ready();
    const { runId } = await page.send('go');
    await page.heard(({ signal }) => signal === 'proc.run.tool.started');
    expect(await page.call('proc.abort', {})).toMatchObject({ aborted: true, interruptedToolCalls: 2 });
    await page.finished(runId);
    const { messages } = await page.history();
    expect(problems(messages)).toEqual([]);
    expect(lines(messages).at(-1)).toBe('system: Stopped by the user.');
    expect(kernel.models.requests).toHaveLength(1);
    expect((await queueOf(page))[0]?.state).toBe('idle');
  });

  test('[P9] stops a run that waits for approval, and the request is gone', async () => {
    const kernel = new TestKernel((_request, turn) =>
      turn === 0 ? calls({ name: 'Delete', args: { target: 'gsv', path: 'x' } }) : says('ok'),
    );
    const page = await kernel.ready();
    const { runId } = await page.send('go');
    const { payload } = await page.heard(({ signal }) => signal === 'proc.run.hil.requested');
    expect((await queueOf(page))[0]?.state).toBe('waiting');
    await page.call('proc.abort', {});
    await page.finished(runId);
    const { messages, pendingHil } = await page.history();
    expect([problems(messages), pendingHil]).toEqual([[], null]);
    const requestId = String(payload.requestId);
    expect(await page.call('proc.hil', { requestId, decision: 'approve' })).toMatchObject({ ok: false });
    expect(await page.run('again')).toMatchObject({ status: 'ok' });
  });
});

describe('proc.retry', () => {
  test('[P10] runs the history once more, and only when nothing runs', async () => {
    const { gate, kernel } = gated((turn) =>
      turn === 0
        ? { kind: 'failed', error: 'bad day', retryable: false, partial: [], usage: null }
        : says('better'),
    );
    const page = await kernel.ready();
    const { runId } = await page.send('one');
    await gate.reached();
    expect(await page.call('proc.retry', {})).toMatchObject({ ok: false, error: 'A run is going on' });
    gate.open();
    expect((await page.finished(runId)).payload).toMatchObject({ status: 'error', error: 'bad day' });
    expect((await queueOf(page))[0]?.state).toBe('error');
    const again = await page.call('proc.retry', {});
    if (!again.ok) throw new Error(again.error);
    await page.finished(again.runId);
    expect(lines((await page.history()).messages)).toEqual([
      'user: one',
      'system: bad day',
      'assistant: better',
    ]);
  });
});
