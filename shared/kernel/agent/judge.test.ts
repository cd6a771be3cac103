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
    tags: ['remote', 'leaves this device'],
    remember: [],
  });
  expect(await judge({ ...pinned, interactive: false }, call)).toMatchObject({ kind: 'deny' });
  const here = { ...call, target: 'gsv', args: { target: 'gsv', path: 'a' } };
  expect(await judge(pinned, here)).toEqual({ kind: 'auto' });
});
