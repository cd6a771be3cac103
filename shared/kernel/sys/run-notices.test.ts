import { describe, expect, test } from 'vitest';
import type { TestPage } from '../../../tests/support/kernel.ts';
import { KernelPair } from '../../../tests/support/kernel-pair.ts';
import { calls, says } from '../../../tests/support/scripted-models.ts';
import { deferred } from '../../std/deferred.ts';
import { pause } from '../../std/pause.ts';

const ASKS = '{"default":"ask","rules":[]}';
const asking = () => calls({ name: 'Shell', args: { target: 'gsv', input: 'echo secret-word' } });
const titles = async (page: TestPage) =>
  (await page.call('notification.list', {})).notifications.map(({ title, source }) => [title, source.kind]);

describe('a person who does not look', () => {
  test('[P310] is told once that an approval waits, and no more when it is decided', async () => {
    const pair = await KernelPair.start((_request, turn) => (turn === 0 ? asking() : says('done')));
    const { a, b } = pair.pages;
    await pair.settings(ASKS);
    await pair.passing(a.send('go'));
    const asked = await pair.passing(a.heard(({ signal }) => signal === 'proc.run.hil.requested'));
    expect(await titles(a)).toEqual([]);
    await pair.pass(6_000);
    expect(await titles(a)).toEqual([['“Home” waits for your approval', 'process']]);
    await pair.until(async () => (await titles(b)).length === 1, 'b knows of it');
    expect(JSON.stringify((await a.call('notification.list', {})).notifications)).not.toContain(
      'secret-word',
    );
    // Asked again after a restart, it is the same question.
    pair.a.kill();
    await pair.passing(pair.a.boot());
    pair.pages.a = await pair.passing(pair.a.signedIn());
    await pair.pass(20_000);
    expect(await titles(pair.pages.a)).toHaveLength(1);
    const requestId = String(asked.payload.requestId);
    await pair.passing(pair.pages.a.call('proc.hil', { requestId, decision: 'deny' }));
    await pair.until(async () => (await titles(pair.pages.a)).length === 0, 'it is over');
    await pair.until(async () => (await titles(b)).length === 0, 'it is over for b');
  });

  test('[P310] who looks at the conversation, or answers at once, is told nothing', async () => {
    const pair = await KernelPair.start((_request, turn) => (turn % 2 === 0 ? asking() : says('done')));
    const { a } = pair.pages;
    await pair.settings(ASKS);
    await a.call('notification.attend', { visible: true, pid: 'init:1000' });
    const { runId } = await pair.passing(a.send('go'));
    const first = await pair.passing(a.heard(({ signal }) => signal === 'proc.run.hil.requested'));
    await pair.pass(6_000);
    expect(await titles(a)).toEqual([]);
    await pair.passing(a.call('proc.hil', { requestId: String(first.payload.requestId), decision: 'deny' }));
    await pair.passing(a.finished(runId));
    await a.call('notification.attend', { visible: false });
    await pair.passing(a.send('again'));
    await pair.until(() => a.named('proc.run.hil.requested').length === 2, 'it asks again');
    const requestId = String(a.named('proc.run.hil.requested')[1]?.requestId);
    await pair.passing(a.call('proc.hil', { requestId, decision: 'deny' }));
    await pair.pass(6_000);
    expect(await titles(a)).toEqual([]);
  });

  test('[P311] is told that a run of a minute or more has ended, and how, but not what it said', async () => {
    const gate = { ms: 70_000, clock: undefined as KernelPair['room']['clock'] | undefined };
    const pair = await KernelPair.start(async () => {
      if (gate.clock) await pause(gate.clock, gate.ms, new AbortController().signal);
      return says('the secret answer');
    });
    gate.clock = pair.room.clock;
    const { a, b } = pair.pages;
    await pair.passing(a.run('go'));
    expect(await titles(a)).toEqual([['“Home” has finished', 'process']]);
    const [notice] = (await a.call('notification.list', {})).notifications;
    expect(notice).toMatchObject({ level: 'success', body: 'It worked for 1 minute.' });
    expect(JSON.stringify(notice)).not.toContain('secret');
    await pair.until(async () => (await titles(b)).length === 1, 'b knows of it');
    gate.ms = 50_000;
    await pair.passing(a.run('short'));
    gate.ms = 70_000;
    await a.call('notification.attend', { visible: true, pid: 'init:1000' });
    await pair.passing(a.run('looked at'));
    await a.call('notification.attend', { visible: true, pid: 'task:other' });
    const stopped = await pair.passing(a.send('stopped'));
    await pair.pass(65_000);
    await pair.passing(a.call('proc.abort', {}));
    await pair.passing(a.finished(stopped.runId));
    expect(await titles(a)).toHaveLength(1);
  });

  test('[P312] a page that is gone looks at nothing', async () => {
    const held = deferred<void>();
    const pair = await KernelPair.start(async () => {
      await held.promise;
      return says('done');
    });
    const { a } = pair.pages;
    await a.call('notification.attend', { visible: true, pid: 'init:1000' });
    const { runId } = await pair.passing(a.send('go'));
    a.peer.close(1000, 'closed');
    pair.pages.a = await pair.passing(pair.a.signedIn());
    await pair.pass(65_000);
    held.resolve();
    await pair.passing(pair.pages.a.finished(runId));
    expect(await titles(pair.pages.a)).toHaveLength(1);
  });
});
