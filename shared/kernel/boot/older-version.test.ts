import { expect, test } from 'vitest';
import { BackupHost } from '../../../tests/support/backup-host.ts';
import { readDoc, readTables } from '../../../tests/support/edit-doc.ts';
import { ADA, TestKernel } from '../../../tests/support/kernel.ts';
import { MemoryDisk } from '../../../tests/support/memory-storage.ts';
import { ageDisk } from '../../../tests/support/older-version.ts';
import { passing, settle } from '../../../tests/support/passing.ts';
import { ReachableRoom } from '../../../tests/support/replicas.ts';
import { CLAIM_SECRET } from '../../../tests/support/room-in-memory.ts';

const byUid = (a: { uid: number }, b: { uid: number }): number => a.uid - b.uid;

test('[K174] what an older version stored is there after the next boot, and again after the one after it', async () => {
  const kernel = new TestKernel();
  const page = await kernel.ready();
  await page.call('sys.config.set', { key: 'users/1000/ai/provider', value: 'openai' });
  await page.run('Hello?');
  const before = await page.call('proc.list', {});
  kernel.kill();
  const users = readTables(kernel.disk).users.rows().sort(byUid);
  ageDisk(kernel.disk);
  for (let boot = 0; boot < 2; boot += 1) {
    await kernel.boot();
    await kernel.page().connect(ADA);
    const again = await kernel.signedIn();
    expect(await again.call('proc.list', {})).toEqual(before);
    const { entries } = await again.call('sys.config.get', { key: 'users/1000/ai/provider' });
    expect(entries[0]?.value).toBe('openai');
    kernel.kill();
  }
  expect(readTables(kernel.disk).users.rows().sort(byUid)).toEqual(users);
  expect([...readDoc(kernel.disk, 'system').getMap('users').keys()]).toEqual([]);
});

test('[K174] a kill while rows are moved leaves them where they were, and they are moved at the next boot', async () => {
  const kernel = new TestKernel();
  await kernel.ready();
  kernel.kill();
  ageDisk(kernel.disk);
  const old = [...kernel.disk.updates];
  await kernel.boot();
  kernel.kill();
  // All that was written in the one write of the move is lost.
  kernel.disk.updates.splice(0, kernel.disk.updates.length, ...old);
  await kernel.boot();
  await kernel.page().connect(ADA);
  kernel.kill();
});

test('[K175] a file that an older version exported is imported', async () => {
  const kernel = new TestKernel();
  const page = await kernel.ready();
  await page.call('fs.write', { path: '/home/ada/a.txt', content: 'kept' });
  kernel.kill();
  const users = readTables(kernel.disk).users.rows().sort(byUid);
  ageDisk(kernel.disk);
  const file = await (await BackupHost.on(kernel.disk)).export();
  const disk = new MemoryDisk();
  const fresh = new TestKernel();
  fresh.disk.copyFrom(disk);
  await fresh.boot();
  fresh.kill();
  expect(await (await BackupHost.on(fresh.disk)).import(file)).toMatchObject({ username: 'ada' });
  expect(readTables(fresh.disk).users.rows().sort(byUid)).toEqual(users);
});

test('[K174] a browser and a room of an older version go on together', async () => {
  const room = await ReachableRoom.fresh();
  const kernel = new TestKernel(undefined, { clock: room.clock, dialer: room });
  let going = kernel.ready();
  const done = <T>(what: Promise<T>): Promise<T> => passing(room.clock, what);
  const page = await done(going);
  await done(page.call('sys.join', { secret: CLAIM_SECRET }));
  await settle(room.clock, async () => (await page.call('sys.status', {})).waiting === 0, 'all is stored');
  kernel.kill();
  ageDisk(kernel.disk);
  await room.age();
  going = kernel.restart();
  const again = await done(going);
  await settle(
    room.clock,
    async () => (await again.call('sys.status', {})).link === 'online',
    'it is online',
  );
  await settle(room.clock, async () => (await again.call('sys.status', {})).waiting === 0, 'all is stored');
  const stored = await room.documents();
  expect([...stored.control.getMap('users').keys()].sort()).toEqual(['0', '1000']);
  expect([...stored.system.getMap('users').keys()]).toEqual([]);
  kernel.kill();
});
