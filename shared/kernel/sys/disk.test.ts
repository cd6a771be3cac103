import { describe, expect, test } from 'vitest';
import { ADA, TestKernel } from '../../../tests/support/kernel.ts';
import { ManualClock } from '../../../tests/support/manual-clock.ts';
import type { DiskLock, DiskLockState } from '../ports/disk-lock.ts';
import { IdleLock } from './idle-lock.ts';

const MINUTE_MS = 60_000;

/** Remembers what it was told. */
class ScriptedLock implements DiskLock {
  state: DiskLockState = { password: false };
  readonly passwords: string[] = [];
  locks = 0;

  async protect(password: string, afterMinutes: number | null): Promise<void> {
    this.passwords.push(password);
    this.state = { password: true, afterMinutes };
  }

  async unprotect(): Promise<void> {
    this.state = { password: false };
  }

  async lockAfter(afterMinutes: number | null): Promise<void> {
    this.state = { password: true, afterMinutes };
  }

  async lock(): Promise<void> {
    this.locks += 1;
  }
}

async function lockable() {
  const diskLock = new ScriptedLock();
  const kernel = new TestKernel(undefined, { diskLock });
  return { diskLock, kernel, page: await kernel.ready() };
}

describe('locking what this browser stores', () => {
  test('[K202] it takes the new password once that was changed', async () => {
    const { diskLock, page } = await lockable();
    const next = 'another horse';
    await page.call('sys.password.change', { password: ADA.password, next });
    expect(diskLock.passwords).toEqual([]);
    await page.call('sys.disk.protect', { password: next, afterMinutes: 5 });
    await page.call('sys.password.change', { password: next, next: ADA.password });
    expect(diskLock.passwords).toEqual([next, ADA.password]);
    expect(diskLock.state).toEqual({ password: true, afterMinutes: 5 });
  });

  test('[K192] it is turned on and off with the account’s password alone', async () => {
    const { diskLock, page } = await lockable();
    const off = { available: true, password: false, afterMinutes: null };
    expect(await page.call('sys.disk.get', {})).toEqual(off);
    const wrong = { code: 403, message: 'That is not your password.' };
    await expect(page.call('sys.disk.protect', { password: 'wrong', afterMinutes: 5 })).rejects.toMatchObject(
      wrong,
    );
    expect(diskLock.passwords).toEqual([]);
    await page.call('sys.disk.protect', { password: ADA.password, afterMinutes: 5 });
    expect(diskLock.passwords).toEqual([ADA.password]);
    await page.call('sys.disk.after', { afterMinutes: null });
    expect(await page.call('sys.disk.get', {})).toEqual({ ...off, password: true });
    await expect(page.call('sys.disk.unprotect', { password: 'wrong' })).rejects.toMatchObject(wrong);
    await page.call('sys.disk.lock', {});
    expect(diskLock.locks).toBe(1);
    await page.call('sys.disk.unprotect', { password: ADA.password });
    expect(await page.call('sys.disk.get', {})).toEqual(off);
    expect(page.named('sys.disk.changed')).toHaveLength(3);
  });

  test('[K192] what asks for no password is not locked, and other accounts decide nothing', async () => {
    const { diskLock, kernel, page } = await lockable();
    for (const call of ['sys.disk.lock', 'sys.disk.after'] as const)
      await expect(page.call(call, { afterMinutes: 1 } as never)).rejects.toBeDefined();
    await expect(page.call('sys.disk.lock', {})).rejects.toMatchObject({ code: 409 });
    await expect(page.call('sys.disk.after', { afterMinutes: 1 })).rejects.toMatchObject({ code: 409 });
    const bob = await kernel.addAccount({ uid: 1001, username: 'bob', gids: [100] });
    await kernel.restart();
    const other = await kernel.signedIn(bob);
    const protect = other.call('sys.disk.protect', { password: 'any', afterMinutes: null });
    await expect(protect).rejects.toMatchObject({ code: 403 });
    expect(diskLock.state.password).toBe(false);
  });

  test('[K192] a host that cannot lock says so', async () => {
    const page = await new TestKernel().ready();
    expect(await page.call('sys.disk.get', {})).toMatchObject({ available: false, password: false });
    const protect = page.call('sys.disk.protect', { password: ADA.password, afterMinutes: null });
    await expect(protect).rejects.toMatchObject({ code: 400 });
  });

  test('[K193] it locks itself when nobody was at it for as long as was chosen, whatever a machine slept', async () => {
    const clock = new ManualClock();
    const lock = new ScriptedLock();
    const idle = new IdleLock(lock, clock);
    idle.start();
    await clock.advance(600 * MINUTE_MS);
    expect(lock.locks, 'without a password').toBe(0);
    await lock.protect('any', null);
    await clock.advance(600 * MINUTE_MS);
    expect(lock.locks, 'never was chosen').toBe(0);
    await lock.lockAfter(10);
    idle.used();
    for (let step = 0; step < 5; step += 1) {
      await clock.advance(9 * MINUTE_MS);
      idle.used();
    }
    expect(lock.locks, 'while somebody is at it').toBe(0);
    await clock.advance(9 * MINUTE_MS);
    expect(lock.locks).toBe(0);
    await clock.advance(2 * MINUTE_MS);
    expect(lock.locks).toBeGreaterThan(0);
    idle.stop();
  });
});
