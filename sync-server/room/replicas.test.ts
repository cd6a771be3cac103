import { describe, expect, test } from 'vitest';
import { limits } from '../../shared/protocol/limits.ts';
import {
  CLAIM_SECRET,
  claimedRoom,
  type Joined,
  openRoom,
  replicaHello,
} from '../../tests/support/room-in-memory.ts';
import { MAX_REPLICAS } from './replicas.ts';

const numberOf = ({ welcome }: Joined): number | undefined => welcome?.server.replicaIndex;

/** What came by a signal, as often as it came. */
const heard = ({ signals }: Joined, name: string): unknown[] =>
  signals.filter(({ signal }) => signal === name).map(({ payload }) => payload);

describe('numbers', () => {
  test('[R84] the founder is 0, others get the next number, each the same for ever', async () => {
    const { founder, kernel, restart } = await claimedRoom();
    expect(numberOf(founder)).toBe(0);
    const both = await Promise.all([kernel('replica-2'), kernel('replica-3')]);
    const numbers = both.map(numberOf);
    expect([...numbers].sort()).toEqual([1, 2]);
    const later = await restart();
    expect(numberOf(await later.connect(replicaHello('replica-3')))).toBe(numbers[1]);
    expect(numberOf(await later.connect(replicaHello('replica-1')))).toBe(0);
  });

  test('[R84] a number that could not be stored was given to nobody', async () => {
    const { kernel, storage } = await claimedRoom();
    storage.failure = new Error('database or disk is full');
    await expect(kernel('replica-2')).rejects.toMatchObject({ code: 507 });
    storage.failure = null;
    expect(numberOf(await kernel('replica-3'))).toBe(1);
  });

  test('[R84] drivers and users have none', async () => {
    const { connect } = await claimedRoom();
    const alice = await connect({ id: 'cli', role: 'user', username: 'alice', token: 'gsv_user_alice' });
    expect(alice.welcome?.server).not.toHaveProperty('replicaIndex');
  });

  test('[R85] whoever claims after another left off is the founder', async () => {
    const memory = await openRoom();
    const left = await memory.connect({ ...replicaHello('replica-9'), token: CLAIM_SECRET });
    left.peer.close(1000, 'gone');
    await memory.clock.advance(1);
    const { founder, kernel } = await claimedRoom(memory);
    expect(numberOf(founder)).toBe(0);
    expect(numberOf(await kernel('replica-2'))).toBe(1);
  });

  test('[R91] there are no more numbers than ids have room for', async () => {
    const { storage, restart } = await claimedRoom();
    await storage.put('replica/lost', { index: MAX_REPLICAS - 2, lastSeenAt: 1 });
    const later = await restart();
    expect(numberOf(await later.connect(replicaHello('replica-2')))).toBe(MAX_REPLICAS - 1);
    await expect(later.connect(replicaHello('replica-3'))).rejects.toMatchObject({ code: 409 });
  });
});

describe('presence', () => {
  test('[R86] a kernel hears of every replica after it connected, then of the others as they come and go', async () => {
    const { founder, kernel, clock, restart } = await claimedRoom();
    await clock.advance(1000);
    const second = await kernel('replica-2');
    await clock.advance(1000);
    const status = (replicaId: string, online: boolean, lastSeenAt: number) => ({
      replicaId,
      online,
      lastSeenAt,
    });
    expect(heard(second, 'replica.status')).toEqual([
      { event: 'snapshot', replica: status('replica-1', true, 0) },
      { event: 'snapshot', replica: status('replica-2', true, 1000) },
    ]);
    second.peer.close(1000, 'gone');
    await clock.advance(1);
    expect(heard(founder, 'replica.status').slice(1)).toEqual([
      { event: 'connected', replica: status('replica-2', true, 1000) },
      { event: 'disconnected', replica: status('replica-2', false, 2000) },
    ]);
    const third = await (await restart()).connect(replicaHello('replica-3'));
    await clock.advance(1);
    expect(heard(third, 'replica.status')).toContainEqual({
      event: 'snapshot',
      replica: status('replica-2', false, 2000),
    });
  });

  test('[R87] a time is written when a replica connects and when it leaves, and never between', async () => {
    const { kernel, storage, clock } = await claimedRoom();
    const writes: string[] = [];
    const put = storage.put.bind(storage);
    storage.put = (key, value) => {
      writes.push(`${key} ${JSON.stringify(value)}`);
      return put(key, value);
    };
    const second = await kernel('replica-2');
    await clock.advance(3_600_000);
    expect(writes).toEqual(['replica/replica-2 {"index":1,"lastSeenAt":0}']);
    second.peer.close(1000, 'gone');
    await clock.advance(1);
    expect(writes.slice(1)).toEqual(['replica/replica-2 {"index":1,"lastSeenAt":3600000}']);
  });

  test('[R88] a newer connection of a replica replaces the older one, and the replica stays online', async () => {
    const { founder, kernel, clock } = await claimedRoom();
    await clock.advance(1);
    const older = await kernel('replica-2');
    const newer = await kernel('replica-2');
    await clock.advance(1);
    expect(older.closed()).toBe('replaced by a newer connection of this browser');
    expect(newer.closed()).toBeNull();
    expect(
      heard(founder, 'replica.status').filter((status) => JSON.stringify(status).includes('replica-2')),
    ).toEqual([{ event: 'connected', replica: { replicaId: 'replica-2', online: true, lastSeenAt: 1 } }]);
  });
});

test('[R86] a replica that is back before its leaving was written has not left', async () => {
  const { founder, kernel, storage, clock } = await claimedRoom();
  const older = await kernel('replica-2');
  const put = storage.put.bind(storage);
  let written = (): void => {};
  storage.put = async (key, value) => {
    storage.put = put;
    await new Promise<void>((resolve) => {
      written = resolve;
    });
    return put(key, value);
  };
  older.peer.close(1000, 'gone');
  await clock.advance(1);
  await kernel('replica-2');
  written();
  await clock.advance(1);
  const events = heard(founder, 'replica.status').map((status) => (status as { event: string }).event);
  expect(events).not.toContain('disconnected');
  expect(events.filter((event) => event === 'connected')).toHaveLength(2);
});

describe('live frames', () => {
  const frame = { uid: 1000, signal: 'proc.run.stream', payload: { pid: 'p1', seq: 3 } };

  test('[R89] those of one kernel reach the other kernels with their source, and nobody else', async () => {
    const { founder, kernel, connect, clock } = await claimedRoom();
    const [second, third] = [await kernel('replica-2'), await kernel('replica-3')];
    const alice = await connect({ id: 'cli', role: 'user', username: 'alice', token: 'gsv_user_alice' });
    founder.peer.signal('replica.signal', frame);
    await clock.advance(1);
    for (const other of [second, third])
      expect(heard(other, 'replica.signal')).toEqual([{ ...frame, from: 'replica-1' }]);
    for (const other of [founder, alice]) expect(heard(other, 'replica.signal')).toEqual([]);
  });

  test('[R89] sealed ones, too, which name neither user nor signal', async () => {
    const { founder, kernel, clock } = await claimedRoom();
    const second = await kernel('replica-2');
    for (const payload of [{ sealed: 'AA==', uid: 1000 }, { sealed: 7 }, { sealed: 'AA==' }])
      founder.peer.signal('replica.signal', payload);
    await clock.advance(1);
    expect(heard(second, 'replica.signal')).toEqual([{ sealed: 'AA==', from: 'replica-1' }]);
  });

  test('[R90] nobody but a kernel is heard', async () => {
    const { founder, connect, clock } = await claimedRoom();
    const alice = await connect({ id: 'cli', role: 'user', username: 'alice', token: 'gsv_user_alice' });
    const driver = { id: 'desk', role: 'driver', username: 'alice', token: 'gsv_node_any' } as const;
    const desk = await connect({ ...driver, implements: ['fs.*'] });
    for (const { peer } of [alice, desk]) peer.signal('replica.signal', frame);
    await clock.advance(1);
    expect(heard(founder, 'replica.signal')).toEqual([]);
  });

  test.each([
    ['no payload', { uid: 1000, signal: 'proc.changed' }],
    ['another signal', { ...frame, signal: 'device.status' }],
    ['a name that is too long', { ...frame, signal: `proc.${'x'.repeat(124)}` }],
    ['a fractional user', { ...frame, uid: 1.5 }],
    ['a list for a payload', { ...frame, payload: [] }],
    ['a source of its own', { ...frame, from: 'replica-3' }],
    ['a frame that would be too long', { ...frame, payload: { text: 'x'.repeat(limits.frameBytes - 200) } }],
    ['nothing', undefined],
  ])('[R90] a frame with %s is dropped', async (_name, payload) => {
    const { founder, kernel, clock } = await claimedRoom();
    const second = await kernel('replica-2');
    founder.peer.signal('replica.signal', payload);
    founder.peer.signal('replica.signal', frame);
    await clock.advance(1);
    expect(heard(second, 'replica.signal')).toHaveLength(1);
    expect(founder.closed()).toBeNull();
  });
});
