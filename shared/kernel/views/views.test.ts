import { describe, expect, test } from 'vitest';
import { deviceRow, FakeRoom } from '../../../tests/support/fake-room.ts';
import { Gate } from '../../../tests/support/gate.ts';
import { TestKernel, type TestPage } from '../../../tests/support/kernel.ts';
import { says } from '../../../tests/support/scripted-models.ts';
import { turns } from '../../../tests/support/turns.ts';
import { messageKey } from '../../state/conversation.ts';
import type { ViewRow } from '../../syscalls/view-row.ts';

type Patch = { viewId: string; put: ViewRow[]; del: string[]; total: number; reset?: boolean };
type Rows = Map<string, ViewRow['value']>;

const patches = (page: TestPage, viewId: string): Patch[] =>
  (page.named('view.patch') as Patch[]).filter((patch) => patch.viewId === viewId);

/** Rows as a page has them: what it got at first, then every patch. */
function shown(page: TestPage, opened: { viewId: string; rows: ViewRow[] }): Rows {
  let rows: Rows = new Map(opened.rows.map(({ key, value }) => [key, value]));
  for (const { put, del, reset } of patches(page, opened.viewId)) {
    if (reset) rows = new Map();
    for (const key of del) rows.delete(key);
    for (const { key, value } of put) rows.set(key, value);
  }
  return rows;
}

const messages = (rows: Rows): unknown[] =>
  [...rows]
    .filter(([key]) => key.startsWith('m:'))
    .sort()
    .map(([, row]) => row.role);

describe('a conversation', () => {
  test('[K31] its rows come first, then what changes, until it is what is stored', async () => {
    const kernel = new TestKernel(() => says('hello'));
    const page = await kernel.ready();
    await page.run('one');
    const view = await page.call('view.open', { view: 'conversation', pid: 'init:1000' });
    expect([view.total, messages(shown(page, view))]).toEqual([2, ['user', 'assistant']]);
    await page.run('two');
    await expect.poll(() => messages(shown(page, view))).toEqual(['user', 'assistant', 'user', 'assistant']);
    await expect.poll(() => shown(page, view).has('run')).toBe(false);
    expect(shown(page, view).get('last')).toMatchObject({ status: 'ok', turns: 1 });
    expect(patches(page, view.viewId).at(-1)?.total).toBe(4);
  });

  test('[K31] nothing that happens while it opens is missed', async () => {
    const kernel = new TestKernel(() => says('hello'));
    const page = await kernel.ready();
    await page.send('zero');
    for (let round = 0; round < 15; round += 1) {
      const run = page.send(`m${round}`);
      const [view] = await Promise.all([
        page.call('view.open', { view: 'conversation', pid: 'init:1000' }),
        run,
      ]);
      await page.finished((await run).runId);
      const { messageCount } = await page.history();
      await expect.poll(() => messages(shown(page, view)).length, { interval: 5 }).toBe(messageCount);
      await page.call('view.close', { viewId: view.viewId });
    }
  });

  test('[K32] it begins with its newest messages, and says how many there are', async () => {
    const page = await new TestKernel().ready();
    for (const text of ['a', 'b', 'c']) await page.run(text);
    const view = await page.call('view.open', { view: 'conversation', pid: 'init:1000', tail: 2 });
    const { messages: newest } = await page.history();
    expect([view.total, view.rows.filter(({ key }) => key.startsWith('m:')).map(({ key }) => key)]).toEqual([
      6,
      newest.slice(-2).map(({ id }) => messageKey(id)),
    ]);
  });

  test('[K33] a reset empties it, and what was said a moment before does not come back', async () => {
    const page = await new TestKernel().ready();
    const view = await page.call('view.open', { view: 'conversation', pid: 'init:1000' }).catch(() => null);
    expect(view, 'there is no process before its first message').toBeNull();
    await page.run('one');
    const opened = await page.call('view.open', { view: 'conversation', pid: 'init:1000' });
    await page.run('two');
    await page.call('proc.reset', {});
    await expect.poll(() => patches(page, opened.viewId).some(({ reset }) => reset)).toBe(true);
    await turns(20);
    expect(messages(shown(page, opened))).toEqual([]);
    await page.run('three');
    await expect.poll(() => messages(shown(page, opened))).toEqual(['user', 'assistant']);
  });

  test('[K33] queued messages and the open run are rows', async () => {
    const gate = new Gate();
    const kernel = new TestKernel(async () => {
      await gate.pass();
      return says('ok');
    });
    const page = await kernel.ready();
    await page.send('one');
    await gate.reached();
    const view = await page.call('view.open', { view: 'conversation', pid: 'init:1000' });
    await page.send('two');
    await expect
      .poll(() => [...shown(page, view).keys()].filter((key) => key.startsWith('q:')))
      .toHaveLength(1);
    expect(shown(page, view).get('run')).toMatchObject({ phase: 'generating' });
    gate.open();
    await expect.poll(() => [...shown(page, view).keys()].some((key) => key.startsWith('q:'))).toBe(false);
  });
});

describe('patches', () => {
  test('[K34] go out at most once per frame, and end when the view is closed', async () => {
    const page = await new TestKernel().ready();
    const view = await page.call('view.open', { view: 'processes' });
    const before = performance.now();
    const made = await Promise.all(
      Array.from({ length: 40 }, () => page.call('proc.spawn', { profile: 'task' })),
    );
    await expect.poll(() => shown(page, view).size, { interval: 5 }).toBe(made.length);
    const frames = (performance.now() - before) / 16;
    expect(patches(page, view.viewId).length).toBeLessThanOrEqual(Math.ceil(frames) + 1);
    expect(await page.call('view.close', { viewId: view.viewId })).toEqual({ closed: true });
    const sent = patches(page, view.viewId).length;
    await page.call('proc.spawn', { profile: 'task' });
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect(patches(page, view.viewId)).toHaveLength(sent);
    expect(await page.call('view.close', { viewId: view.viewId })).toEqual({ closed: false });
  });

  test('[K35] other users’ processes are invisible, in rows, patches and counts', async () => {
    const kernel = new TestKernel();
    await kernel.ready();
    kernel.kill();
    const bob = await kernel.addAccount({ uid: 1001, username: 'bob', gids: [100] });
    await kernel.boot();
    const [adas, bobs] = [await kernel.signedIn(), await kernel.signedIn(bob)];
    await bobs.run('mine');
    const view = await adas.call('view.open', { view: 'processes' });
    expect(view).toMatchObject({ rows: [], total: 0 });
    await bobs.run('again');
    await adas.run('hi');
    await expect.poll(() => [...shown(adas, view).keys()]).toEqual(['init:1000']);
    expect(JSON.stringify(patches(adas, view.viewId))).not.toContain('init:1001');
    expect(patches(adas, view.viewId).at(-1)?.total).toBe(1);
    await expect(adas.call('view.open', { view: 'conversation', pid: 'init:1001' })).rejects.toMatchObject({
      code: 403,
    });
    await expect(adas.call('view.open', { view: 'conversation', pid: 'nobody' })).rejects.toMatchObject({
      code: 404,
    });
  });

  test('[K36] a page has at most 32 views', async () => {
    const page = await new TestKernel().ready();
    const views = await Promise.all(
      Array.from({ length: 32 }, () => page.call('view.open', { view: 'status' })),
    );
    await expect(page.call('view.open', { view: 'status' })).rejects.toMatchObject({ code: 429 });
    await page.call('view.close', { viewId: views[0]?.viewId ?? '' });
    expect(await page.call('view.open', { view: 'status' })).toMatchObject({ total: 1 });
  });
});

test('[K37] devices are rows that say whether they are online, offline, revoked or have never connected', async () => {
  const room = new FakeRoom(async () => ({}));
  const kernel = new TestKernel(undefined, { dialer: room });
  room.join(kernel.disk);
  const page = await kernel.ready();
  const view = await page.call('view.open', { view: 'devices' });
  await expect.poll(() => shown(page, view).get('laptop')).toMatchObject({ online: true, revoked: false });
  const { token } = await page.call('sys.token.create', { kind: 'node', allowedDeviceId: 'tower' });
  await expect
    .poll(() => shown(page, view).get('tower'))
    .toMatchObject({ online: false, firstSeenAt: 0, revoked: false });
  await page.call('sys.token.revoke', { tokenId: token.tokenId });
  await expect.poll(() => shown(page, view).get('tower')?.revoked).toBe(true);
  room.report('disconnected', deviceRow({ online: false }));
  await expect.poll(() => shown(page, view).get('laptop')?.online).toBe(false);
  expect(page.named('device.status')).toContainEqual(
    expect.objectContaining({ event: 'disconnected', device: 'laptop' }),
  );
  room.report('connected', { online: true });
  await expect.poll(() => shown(page, view).get('laptop')?.online).toBe(true);
  room.up = false;
  room.drop();
  await expect.poll(() => shown(page, view).get('laptop')?.online).toBe(false);
});
