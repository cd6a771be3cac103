import { describe, expect, test } from 'vitest';
import { ask, claimedRoom, type Joined, replicaHello } from '../../tests/support/room-in-memory.ts';
import { LEASE_MS, MAX_LEASES } from './lease.ts';

const take = (kernel: Joined, name = 'seat', force = false) => ask(kernel, 'lease.acquire', { name, force });
const held = (kernel: Joined, name = 'seat') => ask(kernel, 'lease.get', { name });

async function twoKernels() {
  const room = await claimedRoom();
  return { ...room, one: room.founder, two: await room.kernel('replica-2') };
}

describe('a lease', () => {
  test('[R92] is granted to one, on disk before it is answered, and keeps its epoch when it is renewed', async () => {
    const { one, two, storage, clock } = await twoKernels();
    expect(await take(one)).toEqual({ granted: true, epoch: 1, forMs: LEASE_MS });
    expect(await storage.get('lease/seat')).toEqual({ holder: 'replica-1', epoch: 1 });
    await clock.advance(50_000);
    expect(await take(one)).toEqual({ granted: true, epoch: 1, forMs: LEASE_MS });
    expect(await take(two)).toEqual({
      granted: false,
      epoch: 1,
      holder: 'replica-1',
      online: true,
      forMs: LEASE_MS,
    });
    expect(await take(two, 'proc:init:1000')).toMatchObject({ granted: true, epoch: 1 });
  });

  test('[R92] that cannot be stored is not granted', async () => {
    const { one, two, storage } = await twoKernels();
    storage.failure = new Error('database or disk is full');
    await expect(take(one)).rejects.toMatchObject({ code: 507 });
    storage.failure = null;
    expect(await held(two)).toEqual({ lease: null });
    expect(await take(two)).toMatchObject({ granted: true, epoch: 1 });
  });

  test('[R92] asked for by many at once is granted to one', async () => {
    const { one, two, kernel } = await twoKernels();
    const three = await kernel('replica-3');
    const answers = await Promise.all([take(two), take(three), take(one)]);
    expect(answers.map(({ granted }) => granted)).toEqual([true, false, false]);
    const forced = await Promise.all([take(three, 'seat', true), take(one, 'seat', true)]);
    expect(forced.map(({ epoch }) => epoch)).toEqual([2, 3]);
  });

  test('[R93] is its holder’s until a minute after it renewed it, connected or not; then another gets it under a higher epoch', async () => {
    const { one, two, clock } = await twoKernels();
    await take(one);
    one.peer.close(1000, 'gone');
    await clock.advance(LEASE_MS - 1);
    expect(await take(two)).toEqual({
      granted: false,
      epoch: 1,
      holder: 'replica-1',
      online: false,
      forMs: 1,
    });
    await clock.advance(1);
    expect(await held(two)).toEqual({ lease: null });
    expect(await take(two)).toEqual({ granted: true, epoch: 2, forMs: LEASE_MS });
  });

  test('[R93] that ended and went to nobody is renewed under its epoch', async () => {
    const { one, clock } = await twoKernels();
    await take(one);
    await clock.advance(5 * LEASE_MS);
    expect(await take(one)).toMatchObject({ granted: true, epoch: 1 });
  });

  test('[R94] is taken at once by force, and its holder is told', async () => {
    const { one, two, clock } = await twoKernels();
    await take(one);
    expect(await take(two, 'seat', true)).toMatchObject({ granted: true, epoch: 2 });
    await clock.advance(1);
    expect(one.signals.find(({ signal }) => signal === 'lease.lost')?.payload).toEqual({
      name: 'seat',
      epoch: 2,
      holder: 'replica-2',
    });
    expect(await take(one)).toMatchObject({ granted: false, holder: 'replica-2' });
  });

  test('[R95] is given back by its holder alone, and its epochs never go back', async () => {
    const { one, two, restart } = await twoKernels();
    await take(one);
    expect(await ask(two, 'lease.release', { name: 'seat', epoch: 1 })).toEqual({ released: false });
    expect(await ask(one, 'lease.release', { name: 'seat', epoch: 2 })).toEqual({ released: false });
    expect(await ask(one, 'lease.release', { name: 'seat', epoch: 1 })).toEqual({ released: true });
    expect(await ask(one, 'lease.release', { name: 'seat', epoch: 1 })).toEqual({ released: false });
    expect(await held(one)).toEqual({ lease: null });
    const later = await restart();
    const again = await later.connect(replicaHello('replica-2'));
    expect(await take(again)).toMatchObject({ granted: true, epoch: 2 });
    expect(await ask(again, 'lease.release', { name: 'seat', epoch: 2 })).toEqual({ released: true });
    expect(await take(again)).toMatchObject({ granted: true, epoch: 3 });
  });

  test('[R96] counts as renewed when the room starts', async () => {
    const { one, clock, restart } = await twoKernels();
    await take(one);
    await clock.advance(LEASE_MS - 1);
    const later = await restart();
    const two = await later.connect(replicaHello('replica-2'));
    await clock.advance(LEASE_MS - 1);
    expect(await take(two)).toMatchObject({ granted: false, online: false });
    await clock.advance(1);
    expect(await take(two)).toMatchObject({ granted: true, epoch: 2 });
  });

  test('[R97] is described to whoever asks', async () => {
    const { one, two, clock } = await twoKernels();
    expect(await held(two)).toEqual({ lease: null });
    await take(one);
    await clock.advance(20_000);
    expect(await held(two)).toEqual({
      lease: { holder: 'replica-1', epoch: 1, online: true, forMs: 40_000 },
    });
  });

  test('[R99] is neither ended nor prolonged by a room’s clock that is set', async () => {
    const { one, two, clock } = await twoKernels();
    const day = 86_400_000;
    for (const jump of [day, -2 * day]) {
      expect(await take(one, `seat${jump}`)).toMatchObject({ granted: true });
      const now = clock.now.bind(clock);
      clock.now = () => now() + jump;
      expect(await take(two, `seat${jump}`)).toMatchObject({ granted: false });
      await clock.advance(LEASE_MS);
      expect(await take(two, `seat${jump}`)).toMatchObject({ granted: true, epoch: 2 });
    }
  });

  test('[R100] beyond ten thousand names, one that is not held is forgotten and no epoch comes again', async () => {
    const { one, restart } = await twoKernels();
    for (let round = 0; round < 3; round += 1) {
      await take(one, 'proc:old');
      await ask(one, 'lease.release', { name: 'proc:old', epoch: round + 1 });
    }
    for (let at = 1; at < MAX_LEASES; at += 1) await take(one, `proc:${at}`);
    expect(await take(one, 'proc:new')).toMatchObject({ granted: true, epoch: 4 });
    await expect(take(one, 'proc:more')).rejects.toMatchObject({ code: 429 });
    await ask(one, 'lease.release', { name: 'proc:1', epoch: 1 });
    expect(await take(one, 'proc:old')).toMatchObject({ granted: true, epoch: 4 });
    const later = await restart();
    const again = await later.connect(replicaHello('replica-1'));
    await ask(again, 'lease.release', { name: 'proc:2', epoch: 1 });
    expect(await take(again, 'proc:newest')).toMatchObject({ granted: true, epoch: 4 });
  });

  test('[R101] is for kernels only, and has a proper name', async () => {
    const { one, connect } = await twoKernels();
    await expect(take(one, 'no name')).rejects.toMatchObject({ code: 400 });
    await expect(take(one, 'x'.repeat(257))).rejects.toMatchObject({ code: 400 });
    const alice = await connect({ id: 'cli', role: 'user', username: 'alice', token: 'gsv_user_alice' });
    await expect(take(alice)).rejects.toMatchObject({ code: 403 });
  });
});

describe('a call under a lease', () => {
  test('[R98] passes while the lease is the caller’s, and is refused once it is another’s', async () => {
    const { one, two, connect } = await twoKernels();
    const call = (kernel: Joined, epoch: number, name = 'proc:p1') =>
      kernel.peer.call('doc.close', { channel: 9 }, { lease: { name, epoch } });
    await take(one, 'proc:p1');
    expect((await call(one, 1)).data).toEqual({ closed: false });
    const elsewhere = (epoch: number, name = 'proc:p1') => ({
      code: 409,
      message: 'This run goes on elsewhere',
      details: { lease: name, epoch },
    });
    await expect(call(two, 1)).rejects.toMatchObject(elsewhere(1));
    await expect(call(one, 2)).rejects.toMatchObject(elsewhere(1));
    await expect(call(one, 1, 'proc:none')).rejects.toMatchObject(elsewhere(0, 'proc:none'));
    await take(two, 'proc:p1', true);
    await expect(call(one, 1)).rejects.toMatchObject(elsewhere(2));
    await call(two, 2);
    await ask(two, 'lease.release', { name: 'proc:p1', epoch: 2 });
    await expect(call(two, 2)).rejects.toMatchObject(elsewhere(2));
    const alice = await connect({ id: 'cli', role: 'user', username: 'alice', token: 'gsv_user_alice' });
    const list = alice.peer.call('sys.device.list', {}, { lease: { name: 'proc:p1', epoch: 2 } });
    await expect(list).rejects.toMatchObject({ code: 409 });
  });

  test('[R98] a device call under a stale lease never reaches the device', async () => {
    const { one, two } = await twoKernels();
    await take(one, 'proc:p1');
    await take(two, 'proc:p1', true);
    const exec = (kernel: Joined, epoch: number) =>
      kernel.peer.call('shell.exec', { input: 'ls', target: 'desk' }, { lease: { name: 'proc:p1', epoch } });
    await expect(exec(one, 1)).rejects.toMatchObject({ code: 409 });
    await expect(exec(two, 2)).rejects.toMatchObject({ code: 403 });
  });
});
