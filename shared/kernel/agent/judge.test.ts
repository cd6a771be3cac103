import { expect, test } from 'vitest';
import { parsePolicy } from './approval-policy.ts';
import { judge } from './judge.ts';

const identity = {
  uid: 1000,
  gid: 100,
  gids: [100],
  username: 'ada',
  home: '/home/ada',
  cwd: '/home/ada',
  workspaceId: null,
};
const parts = {
  identity,
  pid: 'init:1000',
  profile: 'init',
  interactive: true,
  private: () => false,
  approvals: () => [],
};

test('[A82] a policy that cannot be read gives way to the default, and the question says so', async () => {
  const call = { syscall: 'shell.exec' as const, target: 'gsv', args: { input: 'rm -r x' } };
  const asked = await judge({ ...parts, policy: () => parsePolicy('{"default":"auto"') }, call);
  expect(asked).toMatchObject({
    kind: 'ask',
    tags: expect.arrayContaining(['destructive', 'policy-unreadable']),
  });
  const plain = await judge({ ...parts, policy: () => parsePolicy(undefined) }, call);
  expect(plain).toMatchObject({ kind: 'ask', tags: expect.not.arrayContaining(['policy-unreadable']) });
});

test('[A140] notify is asked for on a device alone, where it may be another program', async () => {
  const policy = () => parsePolicy(undefined);
  const call = (target: string) => ({
    syscall: 'shell.exec' as const,
    target,
    args: { input: 'notify -l success "Backup done" "it took an hour"' },
  });
  expect(await judge({ ...parts, policy }, call('gsv'))).toMatchObject({ kind: 'auto' });
  expect(await judge({ ...parts, policy }, call('laptop'))).toMatchObject({
    kind: 'ask',
    tags: expect.arrayContaining(['unclassified']),
  });
});

test('[A121] a call to a device is asked for in a conversation that stays here, and a background process is refused', async () => {
  const call = { syscall: 'fs.read' as const, target: 'nas', args: { target: 'nas', path: '/etc/hosts' } };
  const policy = () => parsePolicy('{"default":"auto","rules":[]}');
  const pinned = { ...parts, policy, private: () => true };
  expect(await judge({ ...parts, policy }, call)).toEqual({ kind: 'auto' });
  expect(await judge(pinned, call)).toMatchObject({
    kind: 'ask',
    tags: ['outside-home', 'remote', 'leaves this device'],
    remember: [],
  });
  expect(await judge({ ...pinned, interactive: false }, call)).toMatchObject({ kind: 'deny' });
  const here = { ...call, target: 'gsv', args: { target: 'gsv', path: 'a' } };
  expect(await judge(pinned, here)).toEqual({ kind: 'auto' });
});

test('[P511] writing on a device what programs run and trust is asked for, however the path is written; else it is not', async () => {
  const policy = () => parsePolicy(undefined);
  const write = async (path: string, target = 'laptop', syscall: 'fs.write' | 'fs.edit' = 'fs.write') =>
    (await judge({ ...parts, policy }, { syscall, target, args: { path, content: 'x' } })).kind;
  for (const path of ['~/.bashrc', 'a/../.git/hooks/pre-commit', '/etc/cron.d/x', '../x', '~/bin/ls']) {
    expect([path, await write(path), await write(path, 'laptop', 'fs.edit')]).toEqual([path, 'ask', 'ask']);
  }
  for (const path of ['src/a.ts', '~/notes.md', '/home/ada/work/a', '.gitignore'])
    expect([path, await write(path)]).toEqual([path, 'auto']);
  // In GSV itself nothing runs such files.
  expect(await write('~/.profile', 'gsv')).toBe('auto');
});

test('[P511] what is remembered of such a file is that path alone', async () => {
  const policy = () => parsePolicy(undefined);
  const call = (path: string) => ({ syscall: 'fs.write' as const, target: 'laptop', args: { path } });
  const asked = await judge({ ...parts, policy }, call('.env'));
  if (asked.kind !== 'ask') throw new Error('it was not asked for');
  const row = { approvalId: 'a', uid: 1000, syscall: 'fs.write', target: 'device' as const, createdAt: 1 };
  const approvals = () => [{ ...row, words: asked.remember }];
  expect((await judge({ ...parts, policy, approvals }, call('.env'))).kind).toBe('auto');
  expect((await judge({ ...parts, policy, approvals }, call('.env2'))).kind).toBe('ask');
});

test('[P512] the native shell’s own commands are other programs on a device', async () => {
  const policy = () => parsePolicy(undefined);
  for (const input of ['proc list', 'sched list', 'skills', 'targets'])
    expect([
      input,
      (await judge({ ...parts, policy }, { syscall: 'shell.exec', target: 'laptop', args: { input } })).kind,
    ]).toEqual([input, 'ask']);
});

test('[P513] a pinned conversation tells no other agent and notifies nobody unasked', async () => {
  const pinned = {
    ...parts,
    private: () => true,
    policy: () => parsePolicy('{"default":"auto","rules":[]}'),
  };
  for (const input of ['proc delegate "send this"', 'proc send p x', 'proc spawn x', 'notify "a secret"']) {
    const asked = await judge(pinned, { syscall: 'shell.exec', target: 'gsv', args: { input } });
    expect(asked).toMatchObject({
      kind: 'ask',
      tags: expect.arrayContaining(['leaves this device']),
      remember: [],
    });
  }
  const reading = { syscall: 'shell.exec' as const, target: 'gsv', args: { input: 'proc list' } };
  expect(await judge(pinned, reading)).toEqual({ kind: 'auto' });
});
