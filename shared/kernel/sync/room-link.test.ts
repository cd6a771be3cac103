import { describe, expect, test } from 'vitest';
import { FakeRoom } from '../../../tests/support/fake-room.ts';
import { TestKernel } from '../../../tests/support/kernel.ts';
import { ManualClock } from '../../../tests/support/manual-clock.ts';
import { MemoryDisk } from '../../../tests/support/memory-storage.ts';
import { settle } from '../../../tests/support/passing.ts';
import { realRandom } from '../../../tests/support/platform.ts';
import { ReachableRoom, TestReplica } from '../../../tests/support/replicas.ts';
import { turns } from '../../../tests/support/turns.ts';
import { SyscallError } from '../../protocol/errors.ts';
import { RoomLink } from './room-link.ts';

const nobody = async () => ({});

function linkTo(room: FakeRoom, attended = false) {
  const clock = new ManualClock();
  const disk = new MemoryDisk();
  room.join(disk);
  const states: string[] = [];
  const link = new RoomLink({
    dialer: room,
    vault: disk.vault(),
    clock,
    random: { ...realRandom, bytes: (length) => new Uint8Array(length).fill(128) },
    replica: { id: 'r1', setIndex: async () => {} },
    platform: 'test',
    attended: () => attended,
  });
  link.onChange(() => {
    if (states.at(-1) !== link.state.kind) states.push(link.state.kind);
  });
  return { clock, disk, states, link };
}

/** The pauses between tries, in seconds. */
async function waits(clock: ManualClock, tries: number): Promise<number[]> {
  const seen: number[] = [];
  while (seen.length < tries) {
    const [next = 0] = clock.waiting;
    seen.push(Math.round(next / 1000));
    await clock.advance(next);
    await arrive();
  }
  return seen;
}

/** Lets messages of real ports arrive while the clock stands still. */
const arrive = () => turns(30);

describe('the link to the room', () => {
  test('[K38] a replica that has not joined stays alone', async () => {
    const room = new FakeRoom(nobody);
    const kernel = await new TestKernel(undefined, { dialer: room }).boot();
    expect((await kernel.page().call('sys.status', {})).link).toBe('alone');
    expect(room.dials).toBe(0);
  });

  test('[K38] joining stores this replica’s own token before the claim is used, and asks for root alone', async () => {
    const room = new FakeRoom(nobody);
    const kernel = new TestKernel(undefined, { dialer: room });
    const page = await kernel.ready();
    const secret = 'claim-secret-of-this-room';
    expect(await page.call('sys.join', { secret })).toEqual({ joined: true });
    expect(kernel.disk.secrets.get('room/token')).toMatch(/^gsv_service_/);
    expect(kernel.disk.secrets.get('room/claim')).toBe(secret);
    await expect.poll(async () => (await page.call('sys.status', {})).link).toBe('online');
    const { tokens } = await page.call('sys.token.list', {});
    expect(
      tokens.every(({ kind }) => kind === 'user'),
      'the replica’s token is root’s',
    ).toBe(true);
    const after = await kernel.restart();
    await expect.poll(async () => (await after.call('sys.status', {})).link).toBe('online');
  });

  test('[K39] a room that does not answer is tried for ever, less and less often, or at once when asked', async () => {
    const room = new FakeRoom(nobody);
    room.up = false;
    const { clock, states, link } = linkTo(room);
    await link.start();
    await arrive();
    expect(await waits(clock, 8)).toEqual([1, 2, 4, 8, 16, 30, 30, 30]);
    expect(link.state).toMatchObject({ kind: 'offline', reason: 'the server does not answer' });
    const before = room.dials;
    room.up = true;
    link.retryNow();
    await arrive();
    expect([room.dials, link.online]).toEqual([before + 1, true]);
    expect(states).toEqual(['connecting', 'offline', 'online']);
    link.stop();
  });

  test('[K199] while somebody looks a room is looked for every five seconds at least', async () => {
    const room = new FakeRoom(nobody);
    room.up = false;
    const { clock, link } = linkTo(room, true);
    await link.start();
    await arrive();
    expect(await waits(clock, 5)).toEqual([1, 2, 4, 5, 5]);
    link.stop();
  });

  test('[K199] whoever begins to look does not wait for the next try', async () => {
    const room = new FakeRoom(nobody);
    const clock = new ManualClock();
    const kernel = new TestKernel(undefined, { dialer: room, clock });
    room.join(kernel.disk);
    room.up = false;
    const page = await kernel.ready();
    await settle(clock, () => room.dials > 6, 'tries');
    const before = room.dials;
    room.up = true;
    await page.call('notification.attend', { visible: true });
    await expect.poll(async () => (await page.call('sys.status', {})).link).toBe('online');
    expect(room.dials).toBe(before + 1);
  });

  test('[K39] a link that was cut is made again soon; one that was refused, after a minute', async () => {
    const room = new FakeRoom(nobody);
    const { clock, link } = linkTo(room);
    await link.start();
    await arrive();
    expect(link.online).toBe(true);
    room.refusal = new SyscallError(401, 'The token is revoked');
    room.drop();
    await arrive();
    expect(link.state.kind).toBe('offline');
    await clock.advance(700);
    await arrive();
    expect(link.state).toEqual({ kind: 'refused', reason: 'The token is revoked', revoked: false });
    await clock.advance(59_000);
    expect(room.dials).toBe(2);
    room.refusal = null;
    await clock.advance(1001);
    await arrive();
    expect([room.dials, link.online]).toEqual([3, true]);
    link.stop();
    await arrive();
    expect(clock.waiting.filter((ms) => ms < 10_000)).toEqual([]);
  });

  test('[K42] a room that has silently gone is noticed by its silence, one that answers anything is kept', async () => {
    let silent = false;
    const room = new FakeRoom(async () => (silent ? new Promise<never>(() => {}) : {}));
    const { clock, link } = linkTo(room);
    await link.start();
    await arrive();
    await clock.advance(30_000);
    await arrive();
    expect(link.online).toBe(true);
    silent = true;
    await clock.advance(30_000);
    await arrive();
    await clock.advance(10_000);
    await arrive();
    expect(link.state).toMatchObject({ kind: 'offline', reason: 'the server went silent' });
    link.stop();
  });

  test('[S52] a room that has silently gone is noticed also by a clock that went back', async () => {
    let silent = false;
    const room = new FakeRoom(async () => (silent ? new Promise<never>(() => {}) : {}));
    const { clock, link } = linkTo(room);
    await link.start();
    await arrive();
    room.report('snapshot');
    await arrive();
    clock.jump(-24 * 3_600_000);
    silent = true;
    await clock.advance(40_000);
    await arrive();
    expect(link.state).toMatchObject({ kind: 'offline', reason: 'the server went silent' });
    link.stop();
  });

  test('[S34] a link that is busy is not taken for a silent one because its answer is late', async () => {
    let silent = false;
    const room = new FakeRoom(async () => (silent ? new Promise<never>(() => {}) : {}));
    const { clock, link } = linkTo(room);
    await link.start();
    await arrive();
    silent = true;
    await clock.advance(30_000);
    await clock.advance(5_000);
    room.report('snapshot');
    await arrive();
    await clock.advance(5_000);
    await arrive();
    expect(link.online).toBe(true);
    link.stop();
  });

  test('[K40] what the room has not confirmed is counted, also while it is away', async () => {
    const room = await ReachableRoom.open();
    room.up = false;
    const replica = await TestReplica.boot(room, 'replica-2');
    await replica.put('system', 'a', 1);
    await replica.put('system', 'b', 2);
    expect(replica.waiting).toBe(2);
    room.up = true;
    await settle(room.clock, () => replica.waiting === 0, 'confirmation');
    await replica.put('system', 'c', 3);
    expect(replica.waiting).toBe(1);
    await settle(room.clock, () => replica.waiting === 0, 'confirmation');
    replica.link.stop();
  });

  test('[K41] a device that drops is waited for, a device that was never there is not', async () => {
    const kernel = new TestKernel(undefined, { dialer: new FakeRoom(nobody) });
    const page = await kernel.ready();
    await expect(page.call('fs.read', { path: 'a', target: 'laptop' })).rejects.toMatchObject({ code: 403 });
    const room = new FakeRoom(() => new Promise(() => {}));
    const other = new TestKernel(undefined, { dialer: room });
    room.join(other.disk);
    const user = await other.ready();
    await expect.poll(async () => (await user.call('sys.device.list', {})).devices.length).toBe(1);
    const waiting = user.call('fs.read', { path: 'a', target: 'laptop' });
    await expect.poll(() => room.calls.length).toBe(1);
    room.drop();
    await expect(waiting, 'a page asks again itself').rejects.toMatchObject({
      code: 503,
      details: { inFlight: true },
    });
  });
});
