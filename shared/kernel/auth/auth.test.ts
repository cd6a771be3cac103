import { describe, expect, test } from 'vitest';
import { cheapPasswords } from '../../../tests/support/cheap-passwords.ts';
import { readTables } from '../../../tests/support/edit-doc.ts';
import { ADA, TestKernel } from '../../../tests/support/kernel.ts';
import { ManualClock } from '../../../tests/support/manual-clock.ts';
import { realRandom } from '../../../tests/support/platform.ts';
import { Lockout } from './lockout.ts';
import { hashPassword, verifyPassword } from './passwords.ts';

describe('passwords', () => {
  test('[K13] are kept as a salted hash that takes memory to guess, outside of what a server can read', async () => {
    const [one, two] = [
      await hashPassword('pass word', realRandom),
      await hashPassword('pass word', realRandom),
    ];
    expect(one).toMatch(/^scrypt\$32768\$8\$1\$/);
    expect(one).not.toBe(two);
    expect(await verifyPassword('pass word', one)).toBe(true);
    expect(await verifyPassword('Pass word', one)).toBe(false);
    expect(await verifyPassword('pass word', 'plain$pass word')).toBe(false);
    const kernel = new TestKernel();
    await kernel.ready();
    const stored = kernel.disk.updates.map(({ bytes }) => Buffer.from(bytes).toString('latin1')).join('');
    expect(stored).toContain('ada');
    for (const secret of ['correct horse', 'scrypt']) expect(stored.includes(secret)).toBe(false);
  });

  test('[K13] are the same however their letters were typed', async () => {
    const hash = await hashPassword('\u00fcber fine', realRandom, cheapPasswords);
    expect(await verifyPassword('u\u0308ber \uFB01ne', hash)).toBe(true);
  });
});

describe('lock-out', () => {
  const attempt = async (lockout: Lockout, name: string, right: boolean): Promise<unknown> =>
    lockout.attempt(name, async () => (right ? 'in' : undefined)).catch((error) => error.code);

  test('[K14] ten failures within a minute refuse the name with 429 until the minute is over', async () => {
    const clock = new ManualClock();
    const lockout = new Lockout(clock);
    for (let tries = 0; tries < 10; tries += 1) expect(await attempt(lockout, 'ada', false)).toBeUndefined();
    expect(await attempt(lockout, 'ada', true)).toBe(429);
    expect(await attempt(lockout, 'bob', true)).toBe('in');
    await clock.advance(59_999);
    expect(await attempt(lockout, 'ada', true)).toBe(429);
    await clock.advance(1);
    expect(await attempt(lockout, 'ada', true)).toBe('in');
  });

  test('[K14] a success clears the count', async () => {
    const lockout = new Lockout(new ManualClock());
    for (let tries = 0; tries < 9; tries += 1) await attempt(lockout, 'ada', false);
    expect(await attempt(lockout, 'ada', true)).toBe('in');
    for (let tries = 0; tries < 9; tries += 1) await attempt(lockout, 'ada', false);
    expect(await attempt(lockout, 'ada', true)).toBe('in');
  });

  test('[K14] attempts made at the same moment are counted like those made in turn', async () => {
    const kernel = new TestKernel();
    await kernel.ready();
    const attempts = Array.from({ length: 30 }, () =>
      kernel
        .page()
        .connect({ username: 'ada', token: 'gsv_user_guess' })
        .catch((error) => error.code),
    );
    const codes = await Promise.all(attempts);
    expect(codes.filter((code) => code === 401)).toHaveLength(10);
    expect(codes.filter((code) => code === 429)).toHaveLength(20);
    await expect(kernel.page().connect(ADA)).rejects.toMatchObject({ code: 429, retryable: true });
  });
});

describe('tokens', () => {
  test('[K15] the raw value is told once and only its hash is stored', async () => {
    const kernel = new TestKernel();
    const page = await kernel.ready();
    const { token } = await page.call('sys.token.create', { kind: 'user', label: 'phone' });
    expect(token.token).toMatch(/^gsv_user_[A-Za-z0-9_-]{32}$/);
    expect(token).toMatchObject({
      tokenPrefix: token.token.slice(0, 16),
      uid: 1000,
      allowedRole: 'user',
      label: 'phone',
    });
    const { tokens } = await page.call('sys.token.list', {});
    expect(tokens.map(({ tokenId }) => tokenId)).toContain(token.tokenId);
    expect(JSON.stringify(tokens)).not.toContain(token.token);
    expect(JSON.stringify(tokens)).not.toContain('hash');
    const rows = JSON.stringify(readTables(kernel.disk).tokens.rows());
    expect(rows).toContain(token.tokenId);
    expect(rows).not.toContain(token.token);
    const other = await kernel.signedIn({ username: 'ada', token: token.token });
    expect((await other.call('sys.status', {})).username).toBe('ada');
  });

  test.each([
    ['a node token that would be a user', { kind: 'node', allowedRole: 'user' }, 400],
    ['a user token that would be a driver', { kind: 'user', allowedRole: 'driver' }, 400],
    ['a user token bound to a device', { kind: 'user', allowedDeviceId: 'laptop' }, 400],
    ['a token for somebody else', { kind: 'user', uid: 0 }, 403],
  ] as const)('[K16] %s is refused', async (_what, args, code) => {
    const page = await new TestKernel().ready();
    await expect(page.call('sys.token.create', args)).rejects.toMatchObject({ code });
  });

  test('[K16] tokens of drivers, other users and past times open no page', async () => {
    const kernel = new TestKernel();
    const page = await kernel.ready();
    const make = async (args: object) =>
      (await page.call('sys.token.create', { kind: 'user', ...args })).token.token;
    const node = await make({ kind: 'node', allowedDeviceId: 'laptop' });
    const service = await make({ kind: 'service' });
    const expired = await make({ expiresAt: Date.now() - 1 });
    for (const token of [node, service, expired]) {
      await expect(kernel.signedIn({ username: 'ada', token })).rejects.toMatchObject({ code: 401 });
    }
    await expect(kernel.signedIn({ username: 'root', token: await make({}) })).rejects.toMatchObject({
      code: 401,
    });
  });

  test('[K17] revoking closes the connection at once, keeps the row and cannot be done by others', async () => {
    const kernel = new TestKernel();
    (await kernel.ready()).peer.close(1000, 'x');
    kernel.kill();
    const bob = await kernel.addAccount({ uid: 1001, username: 'bob', gids: [100] });
    await kernel.boot();
    const page = await kernel.signedIn();
    const { token } = await page.call('sys.token.create', { kind: 'user' });
    const other = await kernel.signedIn({ username: 'ada', token: token.token });
    const bobs = await kernel.signedIn(bob);
    const { tokenId } = token;
    expect(await bobs.call('sys.token.revoke', { tokenId })).toEqual({ revoked: false });
    await expect(bobs.call('sys.token.list', { uid: 1000 })).rejects.toMatchObject({ code: 403 });
    const before = performance.now();
    expect(await page.call('sys.token.revoke', { tokenId, reason: 'lost' })).toEqual({ revoked: true });
    expect(await other.closed).toBe('token revoked');
    expect(performance.now() - before).toBeLessThan(1000);
    const { tokens } = await page.call('sys.token.list', {});
    expect(tokens.find((row) => row.tokenId === tokenId)).toMatchObject({ revokedReason: 'lost' });
    await expect(kernel.signedIn({ username: 'ada', token: token.token })).rejects.toMatchObject({
      code: 401,
    });
    const again = await kernel.restart();
    expect(again.peer.closed).toBe(false);
    await expect(kernel.signedIn({ username: 'ada', token: token.token })).rejects.toMatchObject({
      code: 401,
    });
  });

  test('[K18] a connection ends when its token does', async () => {
    const clock = new ManualClock();
    const kernel = new TestKernel(undefined, { clock });
    const page = await kernel.ready();
    const { token } = await page.call('sys.token.create', { kind: 'user', expiresAt: 1_000 });
    const short = await kernel.signedIn({ username: 'ada', token: token.token });
    await clock.advance(999);
    expect(short.peer.closed).toBe(false);
    await clock.advance(1);
    expect(await short.closed).toBe('token expired');
    expect(page.peer.closed).toBe(false);
  });
});
