import { describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { editTables } from '../../../tests/support/edit-doc.ts';
import { countingRandom, NOW, StillClock } from '../../../tests/support/files-fixture.ts';
import { TestKernel } from '../../../tests/support/kernel.ts';
import { emptySystem } from '../../../tests/support/system-doc.ts';
import { systemTables } from '../../state/system.ts';
import { checkResult } from '../../syscalls/gate.ts';
import type { Args, Result } from '../../syscalls/table.ts';
import type { Caller, Invocation } from '../handler.ts';
import { tellOfConflict } from './file-notices.ts';
import { Notifications } from './notifications.ts';

type Name = 'notification.create' | 'notification.list' | 'notification.mark_read' | 'notification.dismiss';
const DAY = 86_400_000;

function callerOf(uid: number, origin: Caller['origin']): Caller {
  const identity = {
    uid,
    gid: uid,
    gids: [uid],
    username: `u${uid}`,
    home: '/',
    cwd: '/',
    workspaceId: null,
  };
  return { identity, capabilities: ['*'], origin };
}

function fixture(doc = new Y.Doc(), replica = 0) {
  const clock = new StillClock();
  const tables = systemTables({ ...emptySystem(), system: doc });
  const signals: [uid: number, signal: string, title: string][] = [];
  let flushes = 0;
  const notifications = new Notifications({
    tables,
    clock,
    random: countingRandom(replica * 1000),
    attention: { any: false },
    broadcast: (uid, signal, payload) => {
      signals.push([uid, signal, (payload.notification as { title: string }).title]);
    },
    flush: async () => {
      flushes += 1;
    },
  });
  const handlers = notifications.handlers();
  const call = async <N extends Name>(
    name: N,
    args: Args<N>,
    uid = 1000,
    origin: Caller['origin'] = { kind: 'tab', connectionId: 'c' },
  ): Promise<Result<N>> => {
    const invocation = { caller: callerOf(uid, origin) } as Invocation;
    const handler = handlers[name] as (args: Args<N>, invocation: Invocation) => Promise<Result<N>>;
    return checkResult(name, await handler(args, invocation)) as Result<N>;
  };
  const create = async (title: string, more: Partial<Args<'notification.create'>> = {}, uid = 1000) =>
    (await call('notification.create', { title, ...more }, uid)).notification;
  const titles = async (args: Args<'notification.list'> = {}, uid = 1000) =>
    (await call('notification.list', args, uid)).notifications.map(({ title }) => title);
  return { doc, clock, tables, signals, notifications, call, create, titles, flushed: () => flushes };
}

describe('notifications', () => {
  test('[K80] one is made with what was left out filled in, and answered when it is on disk', async () => {
    const { call, create, flushed } = fixture();
    expect(await create('Done')).toEqual({
      notificationId: expect.any(String),
      title: 'Done',
      level: 'info',
      createdAt: NOW,
      readAt: null,
      dismissedAt: null,
      expiresAt: NOW + 30 * DAY,
      actions: [],
      source: { kind: 'user' },
    });
    expect(flushed()).toBe(1);
    const actions = [{ kind: 'open', label: 'Open', target: '/f', args: { line: 3 } }];
    const origin = { kind: 'process', pid: 'task:7', runId: 'r' } as const;
    const args = { title: 'Broken', body: 'all of it', level: 'error', actions } as const;
    expect(
      (await call('notification.create', { ...args, actions }, 1000, origin)).notification,
    ).toMatchObject({
      ...args,
      source: { kind: 'process', processId: 'task:7' },
    });
  });

  test.each([
    [0, 1000],
    [5000, 5000],
    [1000 * DAY, 90 * DAY],
  ])('[K81] a life of %i ms is one of %i ms, and then it is gone', async (ttlMs, lives) => {
    const { clock, create, call, titles, tables } = fixture();
    const { notificationId, expiresAt } = await create('x', { ttlMs });
    expect(expiresAt).toBe(NOW + lives);
    clock.pass(lives - 1);
    expect(await titles()).toEqual(['x']);
    clock.pass(1);
    expect(await call('notification.mark_read', { notificationId })).toEqual({ notification: null });
    expect(await titles()).toEqual([]);
    expect(tables.notifications.size).toBe(0);
  });

  test('[K82] what is read lives a week from then, what is dismissed three days', async () => {
    const { clock, create, call } = fixture();
    const { notificationId } = await create('x');
    clock.pass(1000);
    const read = (await call('notification.mark_read', { notificationId })).notification;
    expect(read).toMatchObject({ readAt: NOW + 1000, expiresAt: NOW + 1000 + 7 * DAY });
    clock.pass(1000);
    expect((await call('notification.dismiss', { notificationId })).notification).toMatchObject({
      readAt: NOW + 1000,
      dismissedAt: NOW + 2000,
      expiresAt: NOW + 2000 + 3 * DAY,
    });
  });

  test('[K83] the list is newest first, with what is read, without what is dismissed, 100 at a time and 500 at most', async () => {
    const { clock, create, call, titles } = fixture();
    for (let at = 1; at <= 502; at += 1) {
      await create(String(at));
      clock.pass(1);
    }
    expect(await titles()).toHaveLength(100);
    expect((await titles({ limit: 0 })).length).toBe(1);
    expect(await titles({ limit: 10_000 })).toHaveLength(500);
    expect(await titles({ limit: 3 })).toEqual(['502', '501', '500']);
    const [newest, next] = (await call('notification.list', {})).notifications;
    await call('notification.mark_read', { notificationId: newest?.notificationId ?? '' });
    await call('notification.dismiss', { notificationId: next?.notificationId ?? '' });
    expect(await titles({ limit: 2 })).toEqual(['502', '500']);
    expect(await titles({ limit: 2, includeRead: false })).toEqual(['500', '499']);
    expect(await titles({ limit: 2, includeDismissed: true })).toEqual(['502', '501']);
  });

  test('[K84] everybody has their own alone, root too, and a foreign one looks like none', async () => {
    const { create, call, titles, notifications } = fixture();
    const { notificationId } = await create('for alice');
    expect([await titles({}, 1001), await titles({}, 0)]).toEqual([[], []]);
    for (const uid of [0, 1001]) {
      expect(await call('notification.dismiss', { notificationId }, uid)).toEqual({ notification: null });
      expect(await call('notification.mark_read', { notificationId }, uid)).toEqual({ notification: null });
      expect(notifications.shown(uid, notificationId)).toBeUndefined();
    }
    expect(await call('notification.dismiss', { notificationId: 'none' })).toEqual({ notification: null });
    expect(await titles()).toEqual(['for alice']);
  });

  test('[K85] pages of the user hear of what is made, changed and dismissed, on every replica', async () => {
    const here = fixture();
    const there = fixture(new Y.Doc(), 1);
    const sync = () => Y.applyUpdate(there.doc, Y.encodeStateAsUpdate(here.doc));
    const { notificationId } = await here.create('x');
    sync();
    await here.call('notification.mark_read', { notificationId });
    sync();
    await here.call('notification.dismiss', { notificationId });
    sync();
    const heard = [
      [1000, 'notification.created', 'x'],
      [1000, 'notification.updated', 'x'],
      [1000, 'notification.dismissed', 'x'],
    ];
    expect([here.signals, there.signals]).toEqual([heard, heard]);
  });

  test('[K85] what was dealt with before it arrived is no news, and nothing is said twice after a restart', async () => {
    const here = fixture();
    const { notificationId } = await here.create('x');
    await here.call('notification.dismiss', { notificationId });
    const there = fixture(new Y.Doc(), 1);
    Y.applyUpdate(there.doc, Y.encodeStateAsUpdate(here.doc));
    expect(there.signals).toEqual([]);
    const again = fixture(here.doc);
    await again.call('notification.dismiss', { notificationId });
    expect(again.signals).toEqual([]);
  });

  test('[K86] what the kernel tells for one cause is one row, however many replicas tell it', async () => {
    const here = fixture();
    const there = fixture(new Y.Doc(), 1);
    const conflict = { kind: 'edited', id: 'ab', uid: 1000, path: '/f', keptPath: '/f (from …)' } as const;
    for (const { notifications } of [here, there]) tellOfConflict(notifications, conflict);
    Y.applyUpdate(here.doc, Y.encodeStateAsUpdate(there.doc));
    const { notifications } = await here.call('notification.list', {});
    expect(notifications).toMatchObject([{ level: 'warning', source: { kind: 'user' } }]);
    expect(notifications[0]?.body).toContain('/f (from …)');
    const { notificationId = '' } = notifications[0] ?? {};
    await here.call('notification.dismiss', { notificationId });
    tellOfConflict(here.notifications, conflict);
    expect(await here.titles()).toEqual([]);
  });

  test('[K86] words of the kernel are cut to what a notification holds', async () => {
    const { notifications, titles, call } = fixture();
    notifications.notifyUser(1000, { title: 't'.repeat(300), body: 'b'.repeat(5000) });
    expect((await titles())[0]).toHaveLength(200);
    expect((await call('notification.list', {})).notifications[0]?.body).toHaveLength(4000);
  });

  test('[K87] a live view gets the ids of what is shown, each row, and what changes', async () => {
    const { notifications, create, call, clock } = fixture();
    const changed: string[] = [];
    const stop = notifications.observe((ids) => changed.push(...ids));
    const { notificationId } = await create('x');
    await create('other', {}, 1001);
    expect(notifications.idsOf(1000)).toEqual([notificationId]);
    expect(notifications.shown(1000, notificationId)).toMatchObject({ title: 'x' });
    stop();
    await call('notification.dismiss', { notificationId });
    expect(notifications.idsOf(1000)).toEqual([]);
    expect(changed).toHaveLength(2);
    clock.pass(100 * DAY);
    expect(notifications.idsOf(1001)).toEqual([]);
  });

  test('[K88] the oldest of a user go when there are more than 500, and no one else’s', async () => {
    const { create, clock, tables, titles } = fixture();
    await create('other', {}, 1001);
    for (let at = 0; at < 503; at += 1) {
      clock.pass(1);
      await create(String(at));
    }
    expect(tables.notifications.size).toBe(501);
    expect((await titles({ limit: 500 })).at(-1)).toBe('3');
    expect(await titles({}, 1001)).toEqual(['other']);
  });
});

test('[K89] a GSV that was made before notifications has them from the next boot on', async () => {
  const kernel = new TestKernel();
  await kernel.ready();
  kernel.kill();
  editTables(kernel.disk, (tables) => {
    const capabilities = ['fs.*', 'shell.*', 'proc.*', 'sys.*'];
    tables.groups.patch('100', { capabilities, given: undefined });
  });
  await kernel.boot();
  const page = await kernel.signedIn();
  const { output } = await page
    .call('shell.exec', { target: 'gsv', input: 'notify "Made here"' })
    .then(shown);
  const { payload } = await page.heard(({ signal }) => signal === 'notification.created');
  expect(payload).toMatchObject({ notification: { title: 'Made here', notificationId: output.trim() } });
  const after = await kernel.restart();
  expect((await after.call('notification.list', {})).notifications).toMatchObject([{ title: 'Made here' }]);
});

function shown(result: Result<'shell.exec'>): { output: string } {
  if ('output' in result && result.output !== undefined) return { output: result.output };
  throw new Error(JSON.stringify(result));
}
