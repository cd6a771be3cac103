import { describe, expect, test } from 'vitest';
import { readTables } from '../../../tests/support/edit-doc.ts';
import { ADA, TestKernel } from '../../../tests/support/kernel.ts';

const shipped = [
  { name: 'plan', files: [{ path: 'SKILL.md', text: '---\nname: plan\ndescription: Plans.\n---\nbody\n' }] },
];

describe('sys.setup', () => {
  test('[K20] needs no network: account, home, time zone, model and device token at once', async () => {
    const unreachable = () => Promise.reject(new Error('no network'));
    const kernel = await new TestKernel(undefined, { skills: unreachable }).boot();
    const page = kernel.page();
    const made = await page.call('sys.setup', {
      ...ADA,
      rootPassword: 'root password',
      timezone: 'Europe/Berlin',
      ai: { provider: 'scripted', model: 'one', apiKey: 'sk-very-secret' },
      node: { deviceId: 'laptop', label: 'my laptop' },
    });
    expect(made).toMatchObject({
      user: { uid: 1000, username: 'ada', home: '/home/ada' },
      rootLocked: false,
    });
    expect(made.nodeToken).toMatchObject({ kind: 'node', allowedRole: 'driver', allowedDeviceId: 'laptop' });
    expect(made.nodeToken?.token).toMatch(/^gsv_node_/);

    kernel.kill();
    await kernel.boot();
    const after = kernel.page();
    await after.connect();
    const { entries } = await after.call('sys.config.get', { key: 'config/server' });
    expect(entries).toContainEqual({ key: 'config/server/timezone', value: 'Europe/Berlin' });
    expect(await after.call('fs.read', { path: '~/context.d' })).toMatchObject({ ok: true });
    expect(await after.run('hi')).toMatchObject({ status: 'ok' });
    expect(kernel.models.requests[0]?.choice).toMatchObject({
      provider: 'scripted',
      apiKey: 'sk-very-secret',
    });
    const { tokens } = await after.call('sys.token.list', {});
    expect(JSON.stringify(tokens)).not.toContain(made.nodeToken?.token);
    const roots = kernel.page();
    await roots.connect({ username: 'root', password: 'root password' });
    expect(await roots.call('fs.read', { path: '/etc/shadow' })).toMatchObject({ ok: true });
  });

  test('[K21] can be done once: afterwards, and while it is going on, 409', async () => {
    const kernel = await new TestKernel().boot();
    const [one, two] = [kernel.page(), kernel.page()];
    const both = await Promise.allSettled([
      one.call('sys.setup', ADA),
      two.call('sys.setup', { ...ADA, username: 'eve' }),
    ]);
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    await expect(two.call('sys.setup', ADA)).rejects.toMatchObject({ code: 409 });
    const users = readTables(kernel.disk).users.rows();
    expect(users.map(({ username }) => username).sort()).toEqual(['ada', 'root']);
    await expect(kernel.page().connect({ username: 'eve', password: ADA.password })).rejects.toMatchObject({
      code: 401,
    });
  });

  test.each([
    ['a name of the system', { ...ADA, username: 'root' }],
    ['a name that is no path segment', { ...ADA, username: '../x' }],
    ['a short password', { ...ADA, password: '1234567' }],
    ['a short root password', { ...ADA, rootPassword: '1' }],
    ['an unknown time zone', { ...ADA, timezone: 'Mars/Olympus' }],
    ['a device that cannot be named so', { ...ADA, node: { deviceId: 'My Laptop' } }],
  ])('[K22] %s is 400 and changes nothing', async (_what, args) => {
    const kernel = await new TestKernel().boot();
    const page = kernel.page();
    const before = kernel.disk.updates.length;
    await expect(page.call('sys.setup', args)).rejects.toMatchObject({ code: 400 });
    expect(kernel.disk.updates).toHaveLength(before);
    expect((await page.call('sys.status', {})).setupMode).toBe(true);
    expect((await page.call('sys.setup', ADA)).user.username).toBe('ada');
  });

  test('[K22] setup that cannot be stored is an error, and can be done again', async () => {
    const kernel = await new TestKernel().boot();
    kernel.disk.refuse = new Error('the disk is full');
    await expect(kernel.page().call('sys.setup', ADA)).rejects.toMatchObject({ code: 507 });
    kernel.kill();
    kernel.disk.refuse = null;
    await kernel.boot();
    expect((await kernel.page().call('sys.setup', ADA)).user.uid).toBe(1000);
  });
});

describe('homes', () => {
  test('[K23] shipped skills come into a home when they can be had, and what is there stays', async () => {
    let online = false;
    const skills = async () => (online ? shipped : Promise.reject(new Error('no network')));
    const kernel = new TestKernel(undefined, { skills });
    const page = await kernel.ready();
    expect(await page.call('fs.read', { path: '~/skills.d/plan/SKILL.md' })).toMatchObject({ ok: false });
    await page.call('fs.write', { path: '~/context.d/10-user.md', content: 'mine' });
    online = true;
    const later = await kernel.restart();
    await expect
      .poll(() => later.call('fs.read', { path: '~/skills.d/plan/SKILL.md' }))
      .toMatchObject({ ok: true });
    await later.call('fs.write', { path: '~/skills.d/plan/SKILL.md', content: 'changed' });
    const last = await kernel.restart();
    const own = await last.call('fs.read', { path: '~/skills.d/plan/SKILL.md' });
    expect(JSON.stringify(own)).toContain('changed');
    expect(JSON.stringify(await last.call('fs.read', { path: '~/context.d/10-user.md' }))).toContain('mine');
  });
});
