import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { editTables, readTables } from '../../../tests/support/edit-doc.ts';
import { deviceRow } from '../../../tests/support/fake-room.ts';
import { TestKernel } from '../../../tests/support/kernel.ts';
import { realRandom } from '../../../tests/support/platform.ts';
import { Keyring } from '../seal/keyring.ts';
import { KEYRING } from '../seal/keys.ts';

async function withDevices() {
  const kernel = new TestKernel();
  await kernel.ready();
  kernel.kill();
  const bob = await kernel.addAccount({ uid: 1001, username: 'bob', gids: [100] });
  const root = await kernel.addAccount({ uid: 0, username: 'root', gids: [0] });
  editTables(kernel.disk, (tables) => {
    const { devices, access } = tables;
    const put = (row: ReturnType<typeof deviceRow>) => devices.put(row.deviceId, { ...row, description: '' });
    put(deviceRow({ deviceId: 'ada-laptop' }));
    put(deviceRow({ deviceId: 'ada-old', online: false }));
    put(deviceRow({ deviceId: 'bob-laptop', ownerUid: 1001 }));
    put(deviceRow({ deviceId: 'shared', ownerUid: 1001 }));
    access.put('shared', { deviceId: 'shared', gids: [100] });
  });
  await kernel.boot();
  return {
    kernel,
    ada: await kernel.signedIn(),
    bob: await kernel.signedIn(bob),
    root: await kernel.signedIn(root),
  };
}

/** As it is once this GSV has been sealed. */
async function sealed(kernel: TestKernel) {
  kernel.kill();
  kernel.disk.secrets.set(KEYRING, Keyring.make(realRandom).text);
  await kernel.boot();
  return kernel.signedIn();
}

const ids = (list: { devices: { deviceId: string }[] }): string[] =>
  list.devices.map(({ deviceId }) => deviceId);

test('[K28] devices are listed to their owner, the groups they are granted to, and root', async () => {
  const { ada, bob, root } = await withDevices();
  const all = { includeOffline: true };
  expect(ids(await ada.call('sys.device.list', {}))).toEqual(['ada-laptop', 'shared']);
  expect(ids(await ada.call('sys.device.list', all))).toEqual(['ada-laptop', 'ada-old', 'shared']);
  expect(ids(await bob.call('sys.device.list', all))).toEqual(['bob-laptop', 'shared']);
  expect(ids(await root.call('sys.device.list', all))).toHaveLength(4);
});

test('[K29] a device is described to who may use it; missing and foreign ones look the same', async () => {
  const { ada } = await withDevices();
  expect((await ada.call('sys.device.get', { deviceId: 'shared' })).device).toMatchObject({
    deviceId: 'shared',
    implements: ['fs.*', 'shell.exec'],
    connectedAt: 2,
  });
  for (const deviceId of ['bob-laptop', 'nowhere']) {
    expect(await ada.call('sys.device.get', { deviceId })).toEqual({ device: null });
  }
});

test('[K30] only the owner and root change a description, and it lasts', async () => {
  const { kernel, ada, root } = await withDevices();
  const update = { deviceId: 'shared', description: 'x' };
  expect(await ada.call('sys.device.update', update)).toEqual({ device: null });
  expect(
    await ada.call('sys.device.update', { ...update, deviceId: 'ada-laptop', description: ' the big one ' }),
  ).toMatchObject({
    device: { description: 'the big one' },
  });
  expect((await root.call('sys.device.update', update)).device).toMatchObject({ description: 'x' });
  const after = await kernel.restart();
  expect((await after.call('sys.device.get', { deviceId: 'ada-laptop' })).device?.description).toBe(
    'the big one',
  );
});

test('[K177] in a sealed GSV a device token carries a secret that its server never sees, and says which device', async () => {
  const { kernel, ada } = await withDevices();
  const wanted = { kind: 'node' as const, allowedDeviceId: 'ada-laptop' };
  expect((await ada.call('sys.token.create', wanted)).token.token).toMatch(/^gsv_node_[\w-]{32}$/);
  const page = await sealed(kernel);
  const again = async () => {
    const { rows } = await page.call('view.open', { view: 'devices' });
    return rows.flatMap(({ key, value }) => (value.pairAgain === true ? [key] : []));
  };
  expect(await again()).toEqual(['ada-laptop', 'ada-old', 'shared']);
  const { token, tokenId } = (await page.call('sys.token.create', wanted)).token;
  const [, raw = '', secret = ''] = /^(gsv_node_[\w-]{32})\.([\w-]{43})$/.exec(token) ?? [];
  expect(await again()).toEqual(['ada-old', 'shared']);
  const { tokens, deviceKeys } = readTables(kernel.disk);
  expect(tokens.get(tokenId)?.hash).toBe(createHash('sha256').update(raw).digest('hex'));
  expect(deviceKeys.get('ada-laptop')?.secret).toBe(secret);
  await expect(page.call('sys.token.create', { kind: 'node' })).rejects.toMatchObject({ code: 400 });
  expect((await page.call('sys.token.create', { kind: 'user' })).token.token).not.toContain('.');
});

test('[K198] a token for commands brings the secret of a device that its maker may use, where the GSV is sealed', async () => {
  const { kernel, ada } = await withDevices();
  const wanted = { kind: 'user' as const, commands: 'ada-laptop' };
  expect((await ada.call('sys.token.create', wanted)).token.token).toMatch(/^gsv_user_[\w-]{32}$/);
  const page = await sealed(kernel);
  await expect(page.call('sys.token.create', wanted)).rejects.toMatchObject({ code: 409 });
  await page.call('sys.token.create', { kind: 'node', allowedDeviceId: 'ada-laptop' });
  const secret = readTables(kernel.disk).deviceKeys.get('ada-laptop')?.secret;
  const { token, tokenId } = (await page.call('sys.token.create', wanted)).token;
  const [, raw = ''] = /^(gsv_user_[\w-]{32})\./.exec(token) ?? [];
  expect(token).toBe(`${raw}.${secret}.ada-laptop`);
  expect(readTables(kernel.disk).tokens.get(tokenId)?.hash).toBe(
    createHash('sha256').update(raw).digest('hex'),
  );
  const refused = (args: object) => expect(page.call('sys.token.create', { ...wanted, ...args })).rejects;
  await refused({ commands: 'bob-laptop' }).toMatchObject({ code: 403 });
  await refused({ kind: 'service' }).toMatchObject({ code: 400 });
});

test('[D80] what a device of a sealed GSV is described as stands where its server neither reads nor writes it', async () => {
  const { kernel, ada } = await withDevices();
  const described = { deviceId: 'ada-laptop', description: 'PRIVATE words' };
  expect((await ada.call('sys.device.update', described)).device).toMatchObject(described);
  const page = await sealed(kernel);
  const shown = async () =>
    (await page.call('sys.device.get', { deviceId: 'ada-laptop' })).device?.description;
  expect(await shown()).toBe('');
  await expect(page.call('sys.device.update', described)).rejects.toMatchObject({ code: 409 });
  await page.call('sys.token.create', { kind: 'node', allowedDeviceId: 'ada-laptop' });
  await page.call('sys.device.update', { ...described, description: 'SEALED words' });
  await page.call('sys.token.create', { kind: 'node', allowedDeviceId: 'ada-laptop' });
  expect(await shown()).toBe('SEALED words');
  const file = await page.call('fs.read', { path: '/sys/devices/ada-laptop' });
  expect(JSON.stringify(file)).toContain('SEALED words');
  expect(JSON.stringify(readTables(kernel.disk).devices.rows())).not.toContain('SEALED');
});
