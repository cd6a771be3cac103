import { describe, expect, test } from 'vitest';
import { PROTOCOL_VERSION } from '../../shared/protocol/version.ts';
import { type ClaimedRoom, type RoomAddress, tokens } from '../support/claimed-room.ts';
import { connectArgs, RoomClient } from '../support/room-client.ts';
import { ALICE, putToken, revokeToken } from '../support/system-doc.ts';

const alice = { id: 'cli', role: 'user', username: 'alice', token: tokens.alice } as const;

/** Of a room that nobody has claimed. Leaves it unclaimed. */
export function claimRules(room: () => RoomAddress): void {
  const claimant = (id: string, token = room().claimSecret) =>
    ({ id, role: 'service', username: 'root', token }) as const;

  test('[R1] an unclaimed room tells users and drivers that it has no owner yet', async () => {
    const client = await RoomClient.open(room().socketUrl);
    await expect(client.connect(alice)).rejects.toMatchObject({
      code: 425,
      details: { setupMode: true, next: 'sys.setup' },
    });
    await client.close();
  });

  test('[R2] only the claim secret opens an unclaimed room', async () => {
    const client = await RoomClient.open(room().socketUrl);
    await expect(client.connect(claimant('replica-0', 'gsv_claim_wrong'))).rejects.toMatchObject({
      code: 401,
    });
    await expect(client.connect({ ...claimant('replica-0'), username: 'alice' })).rejects.toMatchObject({
      code: 401,
    });
    await client.close();
  });

  test('[R3] while one replica claims, another with the same secret is refused; later it may', async () => {
    const first = await RoomClient.open(room().socketUrl);
    await first.connect(claimant('replica-0'));
    const second = await RoomClient.open(room().socketUrl);
    await expect(second.connect(claimant('replica-9'))).rejects.toMatchObject({ code: 409 });
    const again = await RoomClient.open(room().socketUrl);
    await again.connect(claimant('replica-0'));
    expect(await first.closed()).toMatchObject({ code: 4409 });
    await again.close();
    await expect
      .poll(() =>
        second.connect(claimant('replica-9')).then(
          () => 'in',
          () => 'out',
        ),
      )
      .toBe('in');
    await second.close();
    expect(await (await fetch(`${room().url}/health`)).json()).toMatchObject({ ok: true, claimed: false });
  });
}

export function handshakeRules(room: () => ClaimedRoom): void {
  const open = (): Promise<RoomClient> => RoomClient.open(room().address.socketUrl);
  const refused = async (hello: Record<string, unknown>): Promise<unknown> => {
    const client = await open();
    const error = await client.call('sys.connect', hello).then(
      () => 'accepted',
      (thrown: unknown) => thrown,
    );
    await client.close();
    return error;
  };

  describe('the handshake', () => {
    test('[R4] a claimed room refuses the claim secret', async () => {
      expect(await (await fetch(`${room().address.url}/health`)).json()).toMatchObject({ claimed: true });
      const hello = {
        id: 'thief',
        role: 'service',
        username: 'root',
        token: room().address.claimSecret,
      } as const;
      expect(await refused(connectArgs(hello))).toMatchObject({
        code: 401,
        message: expect.stringContaining('claimed'),
      });
    });

    test('[R5] nothing is answered before sys.connect, and sys.connect once', async () => {
      const client = await open();
      await expect(client.call('fs.read', { path: '/' })).rejects.toMatchObject({
        code: 403,
        message: 'Must call sys.connect first',
      });
      await expect(client.call('no.such', {})).rejects.toMatchObject({ code: 403 });
      await client.connect(alice);
      await expect(client.connect(alice)).rejects.toMatchObject({ code: 409 });
      await client.close();
    });

    test('[R6] the answer says who the connection is and what it may ask for', async () => {
      const client = await open();
      const { data } = await client.connect(alice);
      expect(data).toMatchObject({
        protocol: PROTOCOL_VERSION,
        identity: {
          role: 'user',
          process: { uid: ALICE, username: 'alice', home: '/home/alice', cwd: '/home/alice' },
        },
      });
      const { syscalls, identity } = data as { syscalls: string[]; identity: { capabilities: string[] } };
      expect(syscalls).toEqual(expect.arrayContaining(['fs.read', 'shell.exec', 'sys.device.list']));
      expect(syscalls).not.toContain('doc.open');
      expect(identity.capabilities).toContain('fs.*');
      await client.close();
    });

    test('[R7] a wrong protocol answers 426', async () => {
      expect(await refused({ ...connectArgs(alice), protocol: PROTOCOL_VERSION + 1 })).toMatchObject({
        code: 426,
      });
    });

    test('[R8] a bad role, an unknown service or bad implements answers 400', async () => {
      const driver = { id: 'laptop', role: 'driver', username: 'alice', token: tokens.laptop } as const;
      const args = connectArgs(alice) as { client: object };
      expect(await refused({ ...args, client: { ...args.client, role: 'admin' } })).toMatchObject({
        code: 400,
      });
      expect(
        await refused({ ...args, client: { ...args.client, role: 'service', channel: 'mail' } }),
      ).toMatchObject({ code: 400 });
      for (const list of [[], ['*'], ['sys.*'], ['fs.*', 'proc.kill'], ['fs.*.x'], ['FS.READ']]) {
        expect(await refused(connectArgs({ ...driver, implements: list })), String(list)).toMatchObject({
          code: 400,
        });
      }
      expect(await refused(connectArgs({ ...driver, id: 'My Laptop', implements: ['fs.*'] }))).toMatchObject({
        code: 400,
      });
      expect(await refused(connectArgs({ ...alice, implements: ['fs.*'] }))).toMatchObject({ code: 400 });
    });

    test('[R9] a token must be known, live, of the right kind, and of that user', async () => {
      putToken(room().tables, 'gsv_user_old', { uid: ALICE, kind: 'user', expiresAt: 1 });
      await room().change((tables) => revokeToken(tables, 'gsv_user_old2'));
      const with401 = [
        { ...alice, token: 'gsv_user_nobody' },
        { ...alice, token: 'gsv_user_old' },
        { ...alice, username: 'bob' },
        { ...alice, token: tokens.laptop },
        { ...alice, role: 'driver', token: tokens.alice, implements: ['fs.*'] },
        { id: 'desk', role: 'driver', username: 'alice', token: tokens.laptop, implements: ['fs.*'] },
        { id: 'replica-7', role: 'service', username: 'root', token: tokens.replica },
        { id: 'replica-1', role: 'service', username: 'alice', token: tokens.alice },
      ] as const;
      for (const hello of with401) {
        const args = connectArgs({
          ...hello,
          implements: 'implements' in hello ? [...hello.implements] : undefined,
        } as never);
        expect(await refused(args), JSON.stringify(hello)).toMatchObject({ code: 401 });
      }
      expect(await refused({ ...connectArgs(alice), auth: undefined })).toMatchObject({ code: 401 });
    });

    test('[R10] password sign-in is for browsers, and password and token together are refused', async () => {
      const args = connectArgs({ ...alice, username: 'carol' });
      expect(await refused({ ...args, auth: { username: 'carol', password: 'secret-word' } })).toMatchObject({
        code: 401,
        message: expect.stringContaining('browser'),
      });
      const both = { username: 'carol', password: 'secret-word', token: tokens.carol };
      expect(await refused({ ...args, auth: both })).toMatchObject({ code: 401 });
    });

    test('[R11] a driver gets its device and no capabilities of its own', async () => {
      const client = await open();
      const { data } = await client.connect({
        id: 'laptop',
        role: 'driver',
        username: 'alice',
        token: tokens.laptop,
        implements: ['fs.*'],
      });
      expect(data).toMatchObject({
        identity: { role: 'driver', device: 'laptop', implements: ['fs.*'], capabilities: [] },
        syscalls: [],
      });
      await expect(client.call('fs.read', { path: '/', target: 'laptop' })).rejects.toMatchObject({
        code: 403,
      });
      await client.close();
    });

    test('[R12] ten failed sign-ins in a minute lock the name, not others', async () => {
      const wrong = connectArgs({ ...alice, username: 'mallory', token: 'gsv_user_guess' });
      const codes: unknown[] = [];
      for (let attempt = 0; attempt < 11; attempt += 1)
        codes.push(((await refused(wrong)) as { code: number }).code);
      expect(codes).toEqual([...Array(10).fill(401), 429]);
      expect(await refused(connectArgs(alice))).toBe('accepted');
    });

    test('[R200] nobody who has a live token is locked out by the guesses of others', async () => {
      const stranger = {
        id: 'replica-2',
        role: 'service',
        username: 'root',
        token: 'gsv_service_guess',
      } as const;
      for (let attempt = 0; attempt < 11; attempt += 1) await refused(connectArgs(stranger));
      expect(await refused(connectArgs(stranger))).toMatchObject({ code: 429 });
      expect(await refused(connectArgs({ ...stranger, token: tokens.otherReplica }))).toBe('accepted');
    });

    test('[R13] revoking a token closes its sockets within a second with 4401', async () => {
      await room().change((tables) => putToken(tables, 'gsv_user_brief', { uid: ALICE, kind: 'user' }));
      const client = await room().user('alice', 'gsv_user_brief');
      const bystander = await room().user('bob');
      const revoked = Date.now();
      await room().change((tables) => revokeToken(tables, 'gsv_user_brief'));
      expect(await client.closed()).toEqual({ code: 4401, reason: 'token revoked' });
      expect(Date.now() - revoked).toBeLessThan(1000);
      expect(bystander.peer.closed).toBe(false);
      await bystander.close();
    });

    test('[R14] a token that expires closes its sockets within a second', async () => {
      const expiresAt = Date.now() + 700;
      await room().change((tables) =>
        putToken(tables, 'gsv_user_short', { uid: ALICE, kind: 'user', expiresAt }),
      );
      const client = await room().user('alice', 'gsv_user_short');
      expect(await client.closed()).toEqual({ code: 4401, reason: 'token expired' });
      expect(Date.now() - expiresAt).toBeLessThan(1000);
    });
  });
}
