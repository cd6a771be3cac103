import { describe, expect, test } from 'vitest';
import { alice, bob, codeOf, filesFixture, processRow, root } from '../../../tests/support/files-fixture.ts';
import { DEVICE_BYTES } from './views/dev-view.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const names = (entries: { name: string }[]) => entries.map(({ name }) => name);

describe('/proc', () => {
  test('[F22] a process is seen by its owner and root alone, with status, identity and context', async () => {
    const { fs, tables, text } = await filesFixture();
    const contextFiles = [{ name: '00-task.md', text: 'Do it.' }];
    tables.processes.put('init:1000', processRow('init:1000', { contextFiles, label: 'Home' }));
    tables.processes.put('gone', processRow('gone', { state: 'killed' }));
    expect(names(await fs.readdir('/proc', alice))).toEqual(['init:1000', 'self', 'uptime', 'version']);
    expect(names(await fs.readdir('/proc', root))).toEqual(['init:1000', 'uptime', 'version']);
    expect(names(await fs.readdir('/proc', bob))).toEqual(['uptime', 'version']);
    expect(await codeOf(fs.readFile('/proc/init:1000/status', bob))).toBe('ENOENT');
    expect(await text('/proc/self/status')).toContain('Name:\tHome\n');
    expect(JSON.parse(await text('/proc/self/identity'))).toMatchObject({ uid: 1000, username: 'alice' });
    expect(await text('/proc/self/context.d/00-task.md')).toBe('Do it.\n');
  });

  test('[F22] self is the process that asks, and rows are shown as they are now', async () => {
    const { fs, tables, text } = await filesFixture();
    tables.processes.put('init:1000', processRow('init:1000'));
    tables.processes.put('task:1', processRow('task:1', { profile: 'task' }));
    expect(await text('/proc/self/status', { ...alice, pid: 'task:1' })).toContain('Profile:\ttask\n');
    tables.processes.patch('task:1', { state: 'running' });
    expect(await text('/proc/task:1/status')).toContain('State:\trunning\n');
    expect(await codeOf(fs.writeFile('/proc/self/status', bytes('x'), alice))).toBe('EACCES');
    expect(await codeOf(fs.writeFile('/proc/self/new', bytes('x'), root))).toBe('EROFS');
    expect(await codeOf(fs.mkdir('/proc/x', root))).toBe('EROFS');
  });

  test('[F23] version and uptime tell of GSV', async () => {
    const { clock, text } = await filesFixture();
    clock.pass(1500);
    expect(await text('/proc/version')).toBe('GSV version 1.2.3\n');
    expect(await text('/proc/uptime')).toBe('1.50\n');
  });
});

describe('/etc', () => {
  test('[F24] passwd and group show the accounts; shadow is root’s, and holds no hash', async () => {
    const { fs, text } = await filesFixture();
    expect(await text('/etc/passwd')).toContain('alice:x:1000:100::/home/alice:/bin/bash\n');
    expect(await text('/etc/group')).toContain('users:x:100:alice,bob\n');
    expect(await codeOf(fs.readFile('/etc/shadow', alice))).toBe('EACCES');
    expect(await text('/etc/shadow', root)).toContain('alice:*:');
    expect(await codeOf(fs.writeFile('/etc/passwd', bytes('x'), root))).toBe('EROFS');
  });
});

describe('/dev', () => {
  test('[F25] null swallows, zero and random give bytes and end', async () => {
    const { fs } = await filesFixture();
    await fs.writeFile('/dev/null', bytes('x'), alice);
    expect((await fs.readFile('/dev/null', alice)).length).toBe(0);
    expect(await fs.readFile('/dev/zero', alice)).toEqual(new Uint8Array(DEVICE_BYTES));
    const [once, again] = [await fs.readFile('/dev/urandom', alice), await fs.readFile('/dev/random', alice)];
    expect(once.length).toBe(DEVICE_BYTES);
    expect(once).not.toEqual(again);
  });
});

describe('/sys', () => {
  const withKeys = async () => {
    const fixture = await filesFixture();
    for (const [key, value] of [
      ['config/server/name', 'gsv'],
      ['config/ai/secret', 's3cret'],
      ['users/1000/ai/model', 'm'],
      ['users/1001/ai/model', 'n'],
    ] as const) {
      fixture.tables.config.put(key, { value });
    }
    return fixture;
  };

  test('[F26] config shows the keys that sys.config shows to this caller, as paths', async () => {
    const { fs, text } = await withKeys();
    expect(await text('/sys/config/config/server/name')).toBe('gsv\n');
    expect(names(await fs.readdir('/sys/config/users', alice))).toEqual(['1000']);
    expect(names(await fs.readdir('/sys/config/users', root))).toEqual(['1000', '1001']);
    expect(await codeOf(fs.readFile('/sys/config/config/ai/secret', alice))).toBe('ENOENT');
    expect(await text('/sys/config/config/ai/secret', root)).toBe('s3cret\n');
    expect(await codeOf(fs.readdir('/sys/config/users/1001', alice))).toBe('ENOENT');
  });

  test('[F27] config is written under the rules of sys.config and never around them', async () => {
    const { fs, tables } = await withKeys();
    await fs.writeFile('/sys/config/users/1000/ai/model', bytes('new\n'), alice);
    expect(tables.config.get('users/1000/ai/model')?.value).toBe('new');
    await fs.writeFile('/sys/config/users/1000/ai/deep/key', bytes('v'), alice);
    expect(tables.config.get('users/1000/ai/deep/key')?.value).toBe('v');
    for (const key of [
      'config/server/name',
      'config/ai/secret',
      'users/1001/ai/model',
      'users/1000/other',
      'x',
    ]) {
      expect(await codeOf(fs.writeFile(`/sys/config/${key}`, bytes('x'), alice))).toBe('EACCES');
    }
    expect(await codeOf(fs.writeFile('/sys/config/bad key', bytes('x'), root))).toBe('EINVAL');
    expect(await codeOf(fs.rm('/sys/config/config/server/name', root))).toBe('EROFS');
    await fs.symlink('/sys/config/config/server/name', 'link', alice);
    expect(await codeOf(fs.writeFile('link', bytes('x'), alice))).toBe('EACCES');
    expect(tables.config.get('config/server/name')?.value).toBe('gsv');
  });

  test('[F28] what shows a syscall’s answer needs its capability', async () => {
    const { fs } = await withKeys();
    const driver = { ...alice, capabilities: ['fs.*'] };
    expect(names(await fs.readdir('/sys', driver))).toEqual(['capabilities', 'users']);
    expect(await codeOf(fs.readFile('/sys/config/config/server/name', driver))).toBe('ENOENT');
    const reader = { ...alice, capabilities: ['fs.*', 'sys.config.get'] };
    expect(await codeOf(fs.writeFile('/sys/config/users/1000/ai/model', bytes('x'), reader))).toBe('EACCES');
  });

  test('[F28] devices, users and capabilities are listed; devices only to those who may use them', async () => {
    const { fs, tables, text } = await filesFixture();
    const seen = { firstSeenAt: 1, lastSeenAt: 1, connectedAt: null, disconnectedAt: null };
    const laptop = {
      deviceId: 'laptop',
      ownerUid: 1000,
      ownerGid: 100,
      description: 'Mine',
      platform: 'linux',
    };
    tables.devices.put('laptop', { ...laptop, version: '1', implements: ['fs.*'], online: true, ...seen });
    expect(JSON.parse(await text('/sys/devices/laptop'))).toMatchObject({ description: 'Mine' });
    expect(names(await fs.readdir('/sys/devices', bob))).toEqual([]);
    expect(JSON.parse(await text('/sys/users/bob'))).toMatchObject({ uid: 1001 });
    expect(await text('/sys/capabilities/root')).toBe('*\n');
  });
});
