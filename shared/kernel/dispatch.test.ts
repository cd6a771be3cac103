import { beforeAll, describe, expect, test } from 'vitest';
import { exampleOf } from '../../tests/support/example-args.ts';
import { FakeRoom } from '../../tests/support/fake-room.ts';
import { TestKernel, type TestPage } from '../../tests/support/kernel.ts';
import { type SyscallName, syscallNames, table } from '../syscalls/table.ts';
import { Dispatcher } from './dispatch.ts';
import type { Caller } from './handler.ts';

/** What a call that a page may not make is refused with, if it gets past its name and arguments. */
const FORBIDDEN_TO_TABS = syscallNames.filter((name) => ['kernel', 'process'].includes(table[name].audience));

let page: TestPage;
let kernel: TestKernel;
beforeAll(async () => {
  kernel = new TestKernel();
  page = await kernel.ready();
});

describe('the order of checks', () => {
  test('[K3] an unknown name is 404, whatever its arguments and whoever asks', async () => {
    const outside = kernel.page();
    for (const name of ['fs.nothing', 'constructor', 'proc']) {
      await expect(page.peer.call(name, { extra: 1 })).rejects.toMatchObject({ code: 404 });
      await expect(outside.peer.call(name, {})).rejects.toMatchObject({ code: 403 });
    }
  });

  test.each(syscallNames)(
    '[K3] %s with an unknown field is 400 before anything else is looked at',
    async (name) => {
      await expect(page.peer.call(name, { surprise: 1 })).rejects.toMatchObject({ code: 400, details: {} });
    },
  );

  test.each(FORBIDDEN_TO_TABS)('[K4] %s is not for pages: 403', async (name) => {
    await expect(page.peer.call(name, exampleOf(name))).rejects.toMatchObject({
      code: 403,
      message: `Permission denied: ${name}`,
    });
  });

  test('[K4] there are calls that only agents and the kernel make', () => {
    expect(FORBIDDEN_TO_TABS).toEqual(expect.arrayContaining(['ai.tools', 'ai.config', 'proc.setidentity']));
  });
});

describe('capabilities', () => {
  test('[K5] what no group of the caller allows is 403', async () => {
    const fresh = new TestKernel();
    (await fresh.ready()).peer.close(1000, 'done');
    fresh.kill();
    const guest = await fresh.addAccount({ uid: 1005, username: 'guest', gids: [102] });
    await fresh.boot();
    const guests = await fresh.signedIn(guest);
    for (const name of ['proc.list', 'fs.read', 'sys.config.get', 'view.open'] as const) {
      const args =
        { 'fs.read': { path: '/etc/passwd' }, 'view.open': { view: 'status' } }[name as string] ?? {};
      await expect(guests.peer.call(name, args)).rejects.toMatchObject({ code: 403 });
    }
    expect((await guests.call('sys.status', {})).username).toBe('ada');
  });

  test('[K5] root may do everything that a page may', async () => {
    const fresh = new TestKernel();
    await fresh.ready();
    fresh.kill();
    const root = await fresh.addAccount({ uid: 0, username: 'root', gids: [0] });
    await fresh.boot();
    const page = fresh.page();
    const { identity, syscalls } = await page.connect(root);
    expect(identity.capabilities).toEqual(['*']);
    expect(syscalls).toEqual(syscallNames);
    expect(await page.call('fs.read', { path: '/etc/shadow' })).toMatchObject({ ok: true });
  });
});

describe('routing', () => {
  test('[K6] device calls are refused as the routing reference lists, in its order', async () => {
    const read = (target: string) => page.peer.call('fs.read', { path: 'a', target });
    await expect(read('nobodys')).rejects.toMatchObject({
      code: 403,
      message: 'Access denied to device: nobodys',
    });

    const room = new FakeRoom(async () => ({ data: { ok: true, path: '/a', files: [], directories: [] } }));
    const other = new TestKernel(undefined, { dialer: room });
    room.join(other.disk);
    const user = await other.ready();
    await expect.poll(async () => (await user.call('sys.status', {})).link).toBe('online');
    await expect.poll(() => user.call('sys.device.list', {}).then(({ devices }) => devices.length)).toBe(1);
    const list = (target: string, call = 'fs.read', args: object = { path: 'a' }) =>
      user.peer.call(call, { ...args, target });
    expect((await list('laptop')).data).toMatchObject({ ok: true });
    expect(room.calls.at(-1)).toMatchObject({ call: 'fs.read', args: { path: 'a', target: 'laptop' } });

    room.report('connected', { implements: ['shell.exec'] });
    await expect
      .poll(() => list('laptop').catch((error) => error.message))
      .toBe('Device laptop does not implement fs.read');
    room.report('disconnected', { online: false });
    await expect.poll(() => list('laptop').catch((error) => error.message)).toBe('Device offline: laptop');
    await expect(list('laptop')).rejects.toMatchObject({ code: 503, retryable: true });
    room.report('connected', { online: true, ownerUid: 77 });
    await expect.poll(() => list('laptop').catch((error) => error.code)).toBe(403);
    room.report('connected', { ownerUid: 1000, implements: ['fs.*'] });
    await expect
      .poll(() =>
        list('laptop').then(
          () => 'ok',
          (error) => error.message,
        ),
      )
      .toBe('ok');
    room.up = false;
    room.drop();
    await expect
      .poll(() => list('laptop').catch((error) => error.message))
      .toBe('No active connection to device: laptop');
  });

  test('[K6] a device’s answer that is not what the table says is 502', async () => {
    const room = new FakeRoom(async () => ({ data: { ok: true, secret: 1 } }));
    const other = new TestKernel(undefined, { dialer: room });
    room.join(other.disk);
    const user = await other.ready();
    await expect.poll(async () => (await user.call('sys.device.list', {})).devices.length).toBe(1);
    await expect(user.call('fs.read', { path: 'a', target: 'laptop' })).rejects.toMatchObject({ code: 502 });
  });

  test('[K7] a shell session goes back to its device without a target, and to nobody else', async () => {
    const room = new FakeRoom(async () => ({ data: { status: 'running', output: '', sessionId: 's1' } }));
    const other = new TestKernel(undefined, { dialer: room });
    room.join(other.disk);
    (await other.ready()).peer.close(1000, 'x');
    other.kill();
    const bob = await other.addAccount({ uid: 1001, username: 'bob', gids: [100] });
    await other.boot();
    const user = await other.signedIn();
    await expect.poll(async () => (await user.call('sys.device.list', {})).devices.length).toBe(1);
    await user.call('shell.exec', { input: 'sleep 100', target: 'laptop' });
    await user.call('shell.exec', { input: '', sessionId: 's1' });
    expect(room.calls.at(-1)?.args).toEqual({ input: '', sessionId: 's1', target: 'laptop' });
    const bobs = await other.signedIn(bob);
    await expect(bobs.call('shell.exec', { input: '', sessionId: 's1' })).rejects.toMatchObject({
      code: 403,
    });
  });
});

describe('agents', () => {
  const handlers = new Proxy({}, { get: () => async () => 'reached' });
  const dispatcher = new Dispatcher({ handlers, clock: { now: () => 0 } } as never);
  const identity = { uid: 0, gid: 0, gids: [0], username: 'root', home: '/', cwd: '/', workspaceId: null };
  const agent: Caller = { identity, capabilities: ['*'], origin: { kind: 'process', pid: 'p', runId: '' } };
  const options = { signal: new AbortController().signal, timeoutMs: 1000 };

  test.each([
    ['sys.config.set', { key: 'users/0/ai/tools/approval', value: '' }],
    ['sys.token.create', { kind: 'user' }],
    ['sys.token.revoke', { tokenId: 'x' }],
    ['sys.setup', { username: 'eve', password: 'long enough' }],
    ['proc.hil', { requestId: 'x', decision: 'approve' }],
    ['proc.approval.revoke', { approvalId: 'x' }],
    ['view.open', { view: 'status' }],
    ['sys.join', { secret: 'x'.repeat(16) }],
  ] as [SyscallName, object][])(
    '[K19] %s is for people, even where the agent is root’s',
    async (name, args) => {
      await expect(dispatcher.dispatch(agent, name, args, options)).rejects.toMatchObject({ code: 403 });
    },
  );

  test('[K19] an agent makes the calls that its work takes', async () => {
    for (const name of ['ai.tools', 'proc.list', 'sys.device.list'] as const) {
      expect((await dispatcher.dispatch(agent, name, {}, options)).data).toBe('reached');
    }
  });
});
