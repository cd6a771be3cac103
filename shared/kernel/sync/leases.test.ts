import { describe, expect, test } from 'vitest';
import { leaseWorld as world } from '../../../tests/support/lease-world.ts';

describe('a lease', () => {
  test('[P40] is held by one replica, renewed while it is used, and goes to another when it is given back', async () => {
    const { pass, a, b } = await world();
    expect(await a.leases.acquire('proc:1')).toEqual({ kind: 'held', epoch: 1 });
    await pass(300_000, a.clock, b.clock);
    expect(a.leases.valid('proc:1')).toBe(1);
    expect(await b.leases.acquire('proc:1')).toMatchObject({ kind: 'other', holder: 'a', online: true });
    await a.leases.release('proc:1');
    expect([a.leases.valid('proc:1'), await b.leases.acquire('proc:1')]).toEqual([
      undefined,
      { kind: 'held', epoch: 2 },
    ]);
    a.leases.stop();
    b.leases.stop();
    expect(b.clock.waiting).toEqual([]);
  });

  test('[P40] that was taken by force is lost at once', async () => {
    const { a, b } = await world();
    await a.leases.acquire('proc:1');
    const changed = a.leases.changed(60_000, new AbortController().signal);
    expect(await b.leases.acquire('proc:1', true)).toEqual({ kind: 'held', epoch: 2 });
    await changed;
    expect(a.leases.valid('proc:1')).toBeUndefined();
    a.leases.onLost({ name: 'proc:1', epoch: 'x' });
    b.leases.onLost({ name: 'proc:1', epoch: 2, holder: 'b' });
    expect(b.leases.valid('proc:1')).toBe(2);
  });

  test('[P41] is not trusted after a sleep, nor by a clock that jumped, until the room has renewed it', async () => {
    const { a, pass } = await world();
    await a.leases.acquire('proc:1');
    for (const jump of [24 * 3_600_000, -24 * 3_600_000, 56_000]) {
      // The clock of this replica alone jumps, and its timers do not run.
      a.clock.jump(jump);
      expect(a.leases.valid('proc:1'), String(jump)).toBeUndefined();
      expect(await a.leases.acquire('proc:1')).toEqual({ kind: 'held', epoch: 1 });
      expect(a.leases.valid('proc:1')).toBe(1);
    }
    a.link.online = false;
    await pass(54_000, a.clock);
    expect(a.leases.valid('proc:1')).toBe(1);
    await pass(2_000, a.clock);
    expect([a.leases.valid('proc:1'), await a.leases.acquire('proc:1')]).toEqual([
      undefined,
      { kind: 'away' },
    ]);
  });

  test('[P94] ends in time also by a clock that went back while it was held', async () => {
    const { a, pass } = await world();
    await a.leases.acquire('proc:1');
    a.link.online = false;
    await pass(50_000, a.clock);
    a.clock.jump(-40_000);
    await pass(6_000, a.clock);
    expect(a.leases.valid('proc:1')).toBeUndefined();
  });

  test('[P41] of a replica that woke up late is another’s by then', async () => {
    const { a, b, pass } = await world();
    await a.leases.acquire('proc:1');
    // The clock of a frozen browser stands still: it may still believe in its lease.
    await pass(61_000, b.clock);
    expect(await b.leases.acquire('proc:1')).toEqual({ kind: 'held', epoch: 2 });
    expect(await a.leases.isHeld('proc:1')).toBe(true);
    expect(a.leases.valid('proc:1')).toBeUndefined();
  });
});
