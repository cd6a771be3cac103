import { describe, expect, test } from 'vitest';
import { ADA, TestKernel } from '../../tests/support/kernel.ts';
import { turns } from '../../tests/support/turns.ts';
import { PROTOCOL_VERSION } from '../protocol/version.ts';

const client = { id: 'test', version: '0', platform: 'test', role: 'user' };
const hello = (changes: object = {}) => ({ protocol: PROTOCOL_VERSION, client, auth: ADA, ...changes });

describe('before anybody is set up', () => {
  test('[K8] everything but beginning a GSV and its status is 425 with what to do next', async () => {
    const page = (await new TestKernel().boot()).page();
    for (const [name, args] of [
      ['proc.list', {}],
      ['sys.connect', hello()],
      ['fs.read', { path: '/etc/passwd' }],
      ['view.open', { view: 'status' }],
    ] as const) {
      await expect(page.peer.call(name, args)).rejects.toMatchObject({
        code: 425,
        details: { setupMode: true, next: 'sys.setup' },
      });
    }
    expect(await page.call('sys.status', {})).toMatchObject({
      setupMode: true,
      username: null,
      link: 'alone',
    });
  });
});

describe('the first call', () => {
  test('[K9] is sys.connect: anything else is 403', async () => {
    const kernel = new TestKernel();
    await kernel.ready();
    const page = kernel.page();
    for (const name of ['proc.list', 'fs.read', 'sys.erase', 'nothing.here']) {
      await expect(page.peer.call(name, {})).rejects.toMatchObject({
        code: 403,
        message: 'Must call sys.connect first',
      });
    }
    expect((await page.call('sys.status', {})).setupMode).toBe(false);
    const claim = page.call('sys.join', { secret: `gsv_claim_${'a'.repeat(43)}` });
    await expect(claim, 'a stranger claims nothing').rejects.toMatchObject({ code: 403 });
    const join = page.call('sys.join', { secret: `gsv_join_${'A'.repeat(43)}` });
    await expect(join, 'a GSV has begun').rejects.toMatchObject({ code: 409 });
  });

  test.each([
    ['another protocol is 426', hello({ protocol: PROTOCOL_VERSION + 1 }), 426],
    ['a malformed one is 400', hello({ more: 1 }), 400],
    ['a role that connects elsewhere is 400', hello({ client: { ...client, role: 'driver' } }), 400],
    ['a service is 400', hello({ client: { ...client, role: 'service' } }), 400],
    ['nobody is 401', { protocol: PROTOCOL_VERSION, client }, 401],
    ['a name alone is 401', hello({ auth: { username: 'ada' } }), 401],
    ['an unknown name is 401', hello({ auth: { ...ADA, username: 'eve' } }), 401],
    ['a wrong password is 401', hello({ auth: { ...ADA, password: 'wrong horse' } }), 401],
    ['an unknown token is 401', hello({ auth: { username: 'ada', token: 'gsv_user_x' } }), 401],
    ['root without a password is 401', hello({ auth: { username: 'root', password: 'correct horse' } }), 401],
    ['password and token together are 400', hello({ auth: { ...ADA, token: 'gsv_user_x' } }), 400],
  ])('[K10] %s', async (_what, args, code) => {
    const kernel = new TestKernel();
    await kernel.ready();
    const page = kernel.page();
    await expect(page.peer.call('sys.connect', args)).rejects.toMatchObject({ code });
    await expect(page.peer.call('proc.list', {}), 'and it stays outside').rejects.toMatchObject({
      code: 403,
    });
  });

  test('[K10] done twice is 409, also when both are under way', async () => {
    const kernel = new TestKernel();
    await kernel.ready();
    const page = await kernel.signedIn();
    await expect(page.connect()).rejects.toMatchObject({ code: 409 });
    const eager = kernel.page();
    const both = await Promise.allSettled([eager.connect(), eager.connect()]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  test('[K11] tells who one is, what one may do and which signals come', async () => {
    const kernel = new TestKernel();
    await kernel.ready();
    const answer = await kernel.page().connect();
    expect(answer).toMatchObject({
      protocol: PROTOCOL_VERSION,
      identity: {
        role: 'user',
        process: { uid: 1000, gid: 100, gids: [100], username: 'ada', home: '/home/ada', cwd: '/home/ada' },
      },
    });
    expect(answer.syscalls).toEqual(expect.arrayContaining(['proc.send', 'fs.read', 'shell.exec']));
    expect(answer.syscalls).not.toContain('doc.open');
    expect(answer.signals).toContain('proc.run.stream');
  });
});

describe('pages', () => {
  test('[K12] a page that sends nonsense is closed alone', async () => {
    const kernel = new TestKernel();
    const good = await kernel.ready();
    const bad = await kernel.signedIn();
    bad.port.postMessage({ type: 'req', id: '1', call: 'proc.list', args: {}, surprise: true });
    expect(await bad.closed).toBe('frame is malformed');
    expect((await good.call('proc.list', {})).processes).toEqual([]);
  });

  test('[K12] a signal reaches every page of its user and of root, and nobody else', async () => {
    const kernel = new TestKernel();
    await kernel.ready();
    kernel.kill();
    const root = await kernel.addAccount({ uid: 0, username: 'root', gids: [0] });
    const bob = await kernel.addAccount({ uid: 1001, username: 'bob', gids: [100] });
    await kernel.boot();
    const [first, second] = [await kernel.signedIn(), await kernel.signedIn()];
    const [roots, bobs] = [await kernel.signedIn(root), await kernel.signedIn(bob)];
    const { runId } = await first.send('hi');
    await Promise.all([first, second, roots].map((page) => page.finished(runId)));
    await turns(5);
    expect(bobs.signals).toEqual([]);
  });

  test('[K12] a kernel that stops closes its pages', async () => {
    const kernel = new TestKernel();
    const page = await kernel.ready();
    await kernel.kernel.stop();
    expect(await page.closed).toBe('kernel stopped');
    await expect(page.call('proc.list', {})).rejects.toMatchObject({ code: 503 });
  });
});
