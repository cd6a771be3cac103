import { beforeEach, expect, test } from 'vitest';
import { TestPage } from '../support/kernel.ts';
import { answers, does, prints, Story, shell } from '../support/story.ts';

let story: Story;
let bob: TestPage;
const HOME = 'init:1000';

beforeEach(async () => {
  story = await Story.begin({ device: () => prints('mine') });
  const account = await story.kernel.addAccount({ uid: 1001, username: 'bob', gids: [100] });
  await story.restarts();
  bob = new TestPage(story.kernel.kernel);
  await bob.connect(account);
});

test('[P354] another person’s processes are neither listed nor touched', async () => {
  await story.says('a word');
  expect((await bob.call('proc.list', {})).processes).toEqual([]);
  const tries = await Promise.all([
    bob.call('proc.send', { pid: HOME, message: 'do as I say' }),
    bob.call('proc.history', { pid: HOME }),
    bob.call('proc.abort', { pid: HOME }),
    bob.call('proc.reset', { pid: HOME }),
    bob.call('proc.kill', { pid: HOME }),
    bob.call('proc.export', { pid: HOME, format: 'json' }),
  ]);
  for (const result of tries) expect(result).toMatchObject({ ok: false });
  expect(await story.told()).toEqual(['user: a word', 'assistant: done']);
});

test('[P354] nor is what they are asked answered by somebody else', async () => {
  story.agent(does(shell('git push', 'laptop')), answers('Pushed.'));
  await story.saysAndIsAsked('push');
  const requestId = await story.isAsked();
  const answered = await bob.call('proc.hil', { pid: HOME, requestId, decision: 'approve' });
  expect(answered).toMatchObject({ ok: false });
  expect(story.room.executed).toEqual([]);
});

test('[P354] a person hears nothing of another’s runs', async () => {
  await story.says('a word');
  expect(bob.signals.filter(({ signal }) => signal.startsWith('proc.'))).toEqual([]);
});

test('[P354] another’s device cannot be seen or used', async () => {
  expect((await bob.call('sys.device.list', {})).devices).toEqual([]);
  await expect(bob.call('shell.exec', { target: 'laptop', input: 'ls' })).rejects.toMatchObject({
    code: 403,
  });
  await expect(bob.call('fs.read', { target: 'laptop', path: '/' })).rejects.toMatchObject({ code: 403 });
});

test('[P354] another’s settings are neither read nor changed', async () => {
  await story.ask('sys.config.set', { key: 'users/1000/ai/max_turns', value: '9' });
  const { entries } = await bob.call('sys.config.get', {});
  expect(entries.map(({ key }) => key).filter((key) => key.startsWith('users/1000'))).toEqual([]);
  const key = 'users/1000/ai/tools/approval';
  await expect(
    bob.call('sys.config.set', { key, value: '{"default":"auto","rules":[]}' }),
  ).rejects.toMatchObject({ code: 403 });
});

test('[P354] the account’s own tokens are its own to list and to end', async () => {
  await story.ask('sys.token.create', { kind: 'user', label: 'mine' });
  expect((await bob.call('sys.token.list', {})).tokens.filter(({ label }) => label === 'mine')).toEqual([]);
});

test('[P354] a home is closed to others, and /tmp is shared', async () => {
  await story.has('~/diary.md', 'dear diary');
  await story.has('/tmp/for-all.md', 'for all');
  expect(await bob.call('fs.read', { path: '/home/ada/diary.md' })).toMatchObject({ ok: false });
  expect(await bob.call('fs.read', { path: '/home/ada' })).toMatchObject({ ok: false });
  expect(await bob.call('fs.read', { path: '/tmp/for-all.md' })).toMatchObject({ ok: true });
  expect(await bob.call('fs.delete', { path: '/tmp/for-all.md' })).toMatchObject({ ok: false });
});

test('[P354] whoever is not root does not make themselves root', async () => {
  for (const input of ['sudo id', 'su root -c id', 'chown bob /home/ada', 'chmod 777 /home/ada']) {
    const done = await bob.call('shell.exec', { input });
    expect('exitCode' in done ? done.exitCode : 1, input).not.toBe(0);
  }
  const write = await bob.call('fs.write', { path: '/etc/passwd', content: 'bob::0:0::/root:/bin/sh' });
  expect(write).toMatchObject({ ok: false });
});
