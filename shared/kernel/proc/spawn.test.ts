import { describe, expect, test } from 'vitest';
import { lines } from '../../../tests/support/history.ts';
import { TestKernel, type TestPage } from '../../../tests/support/kernel.ts';
import { calls, says } from '../../../tests/support/scripted-models.ts';
import type { Args } from '../../syscalls/table.ts';

async function spawned(page: TestPage, args: Args<'proc.spawn'>) {
  const made = await page.call('proc.spawn', args);
  if (!made.ok) throw new Error(made.error);
  return made;
}

describe('proc.spawn', () => {
  test('[P16] makes a process of a profile; init is the one that is there', async () => {
    const page = await new TestKernel().ready();
    const task = await spawned(page, { profile: 'task', label: ' Tidy up ' });
    expect(task).toMatchObject({ label: 'Tidy up', profile: 'task', workspaceId: null, cwd: '/home/ada' });
    const inits = [await spawned(page, { profile: 'init' }), await spawned(page, { profile: 'init' })];
    expect(inits.map(({ pid }) => pid)).toEqual(['init:1000', 'init:1000']);
    const { processes } = await page.call('proc.list', {});
    expect(processes.map(({ pid, profile }) => [pid, profile])).toEqual(
      expect.arrayContaining([
        [task.pid, 'task'],
        ['init:1000', 'init'],
      ]),
    );
    expect(await page.call('proc.spawn', { profile: 'wiki#builder' })).toMatchObject({ ok: false });
    const { profiles } = await page.call('proc.profile.list', {});
    expect(profiles.filter(({ interactive }) => !interactive).map(({ id }) => id)).toEqual([
      'cron',
      'mcp',
      'app',
    ]);
  });

  test('[P17] with a prompt its first run begins; what it was assigned stands in its prompt', async () => {
    const kernel = new TestKernel();
    const page = await kernel.ready();
    const contextFiles = [{ name: 'brief.md', text: 'Mind the gap.' }];
    const { pid } = await spawned(page, { profile: 'task', prompt: 'begin', assignment: { contextFiles } });
    await page.heard(({ signal, payload }) => signal === 'proc.run.finished' && payload.pid === pid);
    expect(kernel.models.requests[0]?.system).toContain('[process.brief]\nMind the gap.');
    expect((await page.history(pid)).messageCount).toBe(2);
    const { processes } = await (await kernel.restart()).call('proc.list', {});
    expect(processes.map((row) => row.pid)).toEqual([pid]);
  });

  test('[P18] a workspace is new, inherited or joined, and its owner’s alone', async () => {
    const kernel = new TestKernel();
    await kernel.ready();
    kernel.kill();
    const bob = await kernel.addAccount({ uid: 1001, username: 'bob', gids: [100] });
    await kernel.boot();
    const [page, bobs] = [await kernel.signedIn(), await kernel.signedIn(bob)];
    const first = await spawned(page, { profile: 'task', workspace: { mode: 'new' } });
    const workspaceId = first.workspaceId ?? '';
    expect(first.cwd).toBe(`/workspaces/${workspaceId}`);
    expect(await page.call('fs.write', { path: `${first.cwd}/a.txt`, content: 'x' })).toMatchObject({
      ok: true,
    });
    const child = await spawned(page, {
      profile: 'task',
      parentPid: first.pid,
      workspace: { mode: 'inherit' },
    });
    const joined = await spawned(page, { profile: 'review', workspace: { mode: 'attach', workspaceId } });
    expect([child.cwd, joined.cwd]).toEqual([first.cwd, first.cwd]);
    for (const id of [workspaceId, 'nothing', '../home/ada', '..', '.']) {
      const tried = await bobs.call('proc.spawn', {
        profile: 'task',
        workspace: { mode: 'attach', workspaceId: id },
      });
      expect(tried).toMatchObject({ ok: false, error: `There is no workspace ${id}` });
    }
    expect(await bobs.call('fs.read', { path: `${first.cwd}/a.txt` })).toMatchObject({ ok: false });
  });

  test('[P214] workspaces are listed with their processes, those used last first, to their owner and root alone', async () => {
    const kernel = new TestKernel();
    await kernel.ready();
    kernel.kill();
    const bob = await kernel.addAccount({ uid: 1001, username: 'bob', gids: [100] });
    const root = await kernel.addAccount({ uid: 0, username: 'root', gids: [0] });
    await kernel.boot();
    const [page, bobs] = [await kernel.signedIn(), await kernel.signedIn(bob)];
    const made = await spawned(page, {
      profile: 'task',
      workspace: { mode: 'new', label: ' The garden ', kind: 'shared' },
    });
    const workspaceId = made.workspaceId ?? '';
    await spawned(page, { profile: 'task', workspace: { mode: 'attach', workspaceId } });
    const ended = await spawned(page, { profile: 'task', workspace: { mode: 'new' } });
    await page.call('proc.kill', { pid: ended.pid });
    const { workspaces } = await page.call('sys.workspace.list', {});
    expect(workspaces).toHaveLength(2);
    expect(workspaces.find((one) => one.workspaceId === workspaceId)).toMatchObject({
      ownerUid: 1000,
      label: 'The garden',
      kind: 'shared',
      state: 'active',
      processCount: 2,
      activeProcess: { cwd: made.cwd },
    });
    expect(workspaces.find((one) => one.workspaceId === ended.workspaceId)).toMatchObject({
      label: null,
      activeProcess: null,
      processCount: 0,
    });
    const shared = await page.call('sys.workspace.list', { kind: 'shared', limit: 1 });
    expect(shared.workspaces.map((one) => one.workspaceId)).toEqual([workspaceId]);
    expect((await page.call('sys.workspace.list', { state: 'archived' })).workspaces).toEqual([]);
    expect((await bobs.call('sys.workspace.list', {})).workspaces).toEqual([]);
    await expect(bobs.call('sys.workspace.list', { uid: 1000 })).rejects.toMatchObject({ code: 403 });
    const roots = await kernel.signedIn(root);
    expect((await roots.call('sys.workspace.list', { uid: 1000 })).workspaces).toHaveLength(2);
  });

  test('[P215] an assignment may begin by itself, and what an agent spawns begins with an event', async () => {
    const kernel = new TestKernel(({ messages }) => {
      const last = JSON.stringify(messages.at(-1) ?? '');
      if (!last.includes('"go"')) return says('begun');
      return calls({
        name: 'Shell',
        args: { target: 'gsv', input: 'proc spawn --label Child dig' },
        id: 'a',
      });
    });
    const page = await kernel.ready();
    await page.call('sys.config.set', {
      key: 'users/1000/ai/tools/approval',
      value: '{"default":"auto","rules":[]}',
    });
    const contextFiles = [{ name: 'brief.md', text: 'Mind the gap.' }];
    const { pid } = await spawned(page, { profile: 'task', assignment: { contextFiles, autoStart: true } });
    const begun = 'user: [Process Event]: proc.spawn: started';
    await expect
      .poll(async () => lines((await page.history(pid)).messages))
      .toEqual([`${begun}\n\nYour assignment stands in your context. Begin.`, 'assistant: begun']);
    await page.run('go');
    const { processes } = await page.call('proc.list', {});
    const child = processes.find(({ label }) => label === 'Child');
    await expect
      .poll(async () => lines((await page.history(child?.pid)).messages))
      .toEqual([`${begun} by process init:1000 “Home”\n\ndig`, 'assistant: begun']);
  });

  test('[P19] the number of processes of a user can be limited', async () => {
    const kernel = new TestKernel();
    await kernel.ready();
    kernel.kill();
    const root = await kernel.addAccount({ uid: 0, username: 'root', gids: [0] });
    await kernel.boot();
    const [page, roots] = [await kernel.signedIn(), await kernel.signedIn(root)];
    await roots.call('sys.config.set', { key: 'config/process/max_per_user', value: '2' });
    const kept = [await spawned(page, { profile: 'task' }), await spawned(page, { profile: 'task' })];
    expect(await page.call('proc.spawn', { profile: 'task' })).toMatchObject({ ok: false });
    await page.call('proc.kill', { pid: kept[0]?.pid ?? '' });
    expect(await page.call('proc.spawn', { profile: 'task' })).toMatchObject({ ok: true });
  });
});

describe('conversations', () => {
  test('[P20] processes answer at the same time, each with its own history', async () => {
    const kernel = new TestKernel();
    const page = await kernel.ready();
    const pids = await Promise.all(
      Array.from({ length: 5 }, async () => (await spawned(page, { profile: 'task' })).pid),
    );
    await Promise.all(pids.map((pid) => page.run(`for ${pid}`, pid)));
    for (const pid of pids) {
      const { messages, messageCount } = await page.history(pid);
      expect(messageCount).toBe(2);
      expect(JSON.stringify(messages)).toContain(`for ${pid}`);
    }
    const { processes } = await page.call('proc.list', {});
    expect(processes.every(({ label }) => label?.startsWith('for '))).toBe(true);
  });
});
