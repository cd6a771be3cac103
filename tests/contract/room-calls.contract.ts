import { createHash } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { SyscallError } from '../../shared/protocol/errors.ts';
import type { IncomingCall, Reply } from '../../shared/protocol/peer.ts';
import { type ByteStream, readAll } from '../../shared/protocol/streams.ts';
import { deferred } from '../../shared/std/deferred.ts';
import { type ClaimedRoom, tokens } from '../support/claimed-room.ts';
import type { RoomClient } from '../support/room-client.ts';
import { ALICE, FRIENDS } from '../support/system-doc.ts';

const listing = { ok: true, path: '/', files: ['a'], directories: [] };
const list = async (): Promise<Reply> => ({ data: listing });

export function callRules(room: () => ClaimedRoom): void {
  const open: RoomClient[] = [];
  const keep = async (client: Promise<RoomClient>): Promise<RoomClient> => {
    open.push(await client);
    return client;
  };
  const driver: ClaimedRoom['driver'] = (...args) => keep(room().driver(...args));
  const user: ClaimedRoom['user'] = (...args) => keep(room().user(...args));
  afterEach(async () => {
    await Promise.all(open.splice(0).map((client) => client.close()));
  });

  describe('calls to devices', () => {
    test('[R23] a call reaches the device without its target and with a key of its caller', async () => {
      const calls: IncomingCall[] = [];
      await driver('desk', async (call) => {
        calls.push(call);
        return { data: listing };
      });
      const alice = await user('alice');
      expect(
        await alice.call('fs.read', { path: '/', target: 'desk' }, { key: 'k1', timeoutMs: 5000 }),
      ).toEqual({ data: listing });
      await room().replica.call('fs.read', { path: '/', target: 'desk' }, { key: 'k1' });
      await alice.call('fs.read', { path: '/', target: 'desk' });
      expect(calls.map(({ call, args, key }) => ({ call, args, key }))).toEqual([
        { call: 'fs.read', args: { path: '/' }, key: `${ALICE}:k1` },
        { call: 'fs.read', args: { path: '/' }, key: 'k:k1' },
        { call: 'fs.read', args: { path: '/' }, key: undefined },
      ]);
      expect(calls[0]?.ttl).toBeLessThanOrEqual(5000);
    });

    test('[R24] a call goes through the gate: 404, 403, 400 before anything is asked of a device', async () => {
      let asked = 0;
      await driver('desk', async () => {
        asked += 1;
        return { data: listing };
      });
      const alice = await user('alice');
      const carol = await user('carol');
      const codeOf = (client: RoomClient, name: string, args: unknown) =>
        client.call(name, args).then(
          () => 'ok',
          (error: SyscallError) => error.code,
        );
      expect(await codeOf(alice, 'no.such', {})).toBe(404);
      expect(await codeOf(alice, 'ai.tools', {})).toBe(403);
      expect(await codeOf(alice, 'fs.read', { path: '/', target: 'desk', extra: 1 })).toBe(400);
      expect(await codeOf(carol, 'shell.exec', { input: 'ls', target: 'desk' })).toBe(403);
      expect(await codeOf(room().replica, 'fs.read', { target: 'desk' })).toBe(400);
      expect(asked).toBe(0);
      await expect(alice.call('fs.read', { path: '/', extra: 1 })).rejects.toMatchObject({
        details: { path: expect.stringContaining('extra') },
      });
    });

    test('[R25] a foreign or unknown device answers 403, until its group is granted', async () => {
      await driver('desk', list);
      const bob = await user('bob');
      await expect(bob.call('fs.read', { path: '/', target: 'desk' })).rejects.toMatchObject({
        code: 403,
        message: 'Access denied to device: desk',
      });
      await expect(bob.call('fs.read', { path: '/', target: 'ghost' })).rejects.toMatchObject({ code: 403 });
      await room().change((tables) => tables.access.put('desk', { deviceId: 'desk', gids: [FRIENDS] }));
      expect((await bob.call('fs.read', { path: '/', target: 'desk' })).data).toEqual(listing);
      await room().change((tables) => tables.access.delete('desk'));
      await expect(bob.call('fs.read', { path: '/', target: 'desk' })).rejects.toMatchObject({ code: 403 });
    });

    test('[R26] an offline device answers 503, one that does not implement the call 400', async () => {
      await driver('reader', list, { implements: ['fs.read'] });
      const alice = await user('alice');
      await expect(alice.call('shell.exec', { input: 'ls', target: 'reader' })).rejects.toMatchObject({
        code: 400,
        message: expect.stringContaining('does not implement'),
      });
      await (await driver('gone', list)).close();
      await expect
        .poll(() =>
          alice
            .call('fs.read', { path: '/', target: 'gone' })
            .catch((error: SyscallError) => error.toShape()),
        )
        .toMatchObject({
          code: 503,
          message: 'Device offline: gone',
          retryable: true,
        });
    });

    test('[R27] what only a kernel can do answers 503 and says so', async () => {
      const alice = await user('alice');
      for (const [name, args] of [
        ['fs.read', { path: '/' }],
        ['fs.read', { path: '/', target: 'gsv' }],
        ['proc.list', {}],
      ] as const) {
        await expect(alice.call(name, args), name).rejects.toMatchObject({
          code: 503,
          message: expect.stringContaining('No kernel is online'),
        });
      }
    });

    test('[R28] the time left travels with the call, and is over with 504', async () => {
      await driver('slow', () => new Promise(() => {}));
      const alice = await user('alice');
      await expect(
        alice.call('fs.read', { path: '/', target: 'slow' }, { timeoutMs: 300 }),
      ).rejects.toMatchObject({ code: 504 });
    });

    test('[R29] an abort reaches the device', async () => {
      const started = deferred<IncomingCall>();
      const aborted = deferred<void>();
      await driver('slow', (call) => {
        started.resolve(call);
        call.signal.addEventListener('abort', () => aborted.resolve());
        return new Promise(() => {});
      });
      const alice = await user('alice');
      const abort = new AbortController();
      const answer = alice.call('fs.read', { path: '/', target: 'slow' }, { signal: abort.signal });
      await started.promise;
      abort.abort();
      await expect(answer).rejects.toMatchObject({ code: 499 });
      await aborted.promise;
    });

    test('[R30] a device that drops fails its pending calls with 503', async () => {
      const started = deferred<void>();
      const client = await driver('flaky', () => {
        started.resolve();
        return new Promise(() => {});
      });
      const alice = await user('alice');
      const answer = alice
        .call('fs.read', { path: '/', target: 'flaky' })
        .catch((error: SyscallError) => error.toShape());
      await started.promise;
      client.socket.terminate();
      expect(await answer).toMatchObject({
        code: 503,
        message: 'Device disconnected: flaky',
        retryable: true,
        details: { inFlight: true },
      });
    });

    test('[R31] errors of the device arrive as they are, malformed results as 502', async () => {
      const answers: (() => Promise<Reply>)[] = [
        async () => ({ data: { ok: 'yes' } }),
        async () => Promise.reject(new SyscallError(403, 'Not on this machine')),
      ];
      await driver('odd', () => answers.shift()?.() ?? list());
      const alice = await user('alice');
      await expect(alice.call('fs.read', { path: '/', target: 'odd' })).rejects.toMatchObject({ code: 502 });
      await expect(alice.call('fs.read', { path: '/', target: 'odd' })).rejects.toMatchObject({
        code: 403,
        message: 'Not on this machine',
      });
    });

    test('[R32] byte streams pass both ways whole, with back-pressure', async () => {
      const received = deferred<string>();
      await driver('desk', async ({ call, stream }) => {
        if (call === 'fs.transfer.read')
          return { data: { ok: true, path: '/f', size: TOTAL }, stream: pattern() };
        const bytes = stream ? await readAll(stream, TOTAL) : new Uint8Array();
        received.resolve(hash(bytes));
        return { data: { ok: true, path: '/f', size: bytes.length, sha256: hash(bytes) } };
      });
      const alice = await user('alice');
      const { stream } = await alice.call('fs.transfer.read', { path: '/f', target: 'desk' });
      const bytes = await readAll(stream as ByteStream, TOTAL);
      const whole = hash(await readAll(pattern(), TOTAL));
      expect(hash(bytes)).toBe(whole);
      await alice.call('fs.transfer.write', { path: '/f', target: 'desk' }, { stream: pattern() });
      expect(await received.promise).toBe(whole);
    });

    test('[R32] a reader that stops reading stops the device', async () => {
      let pulled = 0;
      await driver('desk', async () => ({
        data: { ok: true, path: '/f', size: 1024 * CHUNK },
        stream: new ReadableStream<Uint8Array>({
          pull: (controller) => {
            pulled += 1;
            controller.enqueue(new Uint8Array(CHUNK));
            if (pulled === 1024) controller.close();
          },
        }),
      }));
      const alice = await user('alice');
      const { stream } = await alice.call('fs.transfer.read', { path: '/f', target: 'desk' });
      const reader = (stream as ByteStream).getReader();
      await reader.read();
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect(pulled).toBeLessThan(64);
      await reader.cancel();
    });

    test('[R33] a shell session is found again by its id alone, by its own user only', async () => {
      const running = { status: 'running', output: '', sessionId: 'session-1' };
      const inputs: unknown[] = [];
      await driver('desk', async ({ args }) => {
        inputs.push(args);
        return { data: running };
      });
      const alice = await user('alice');
      await alice.call('shell.exec', { input: 'sleep 9', target: 'desk' });
      await alice.call('shell.exec', { input: '', sessionId: 'session-1' });
      expect(inputs).toEqual([{ input: 'sleep 9' }, { input: '', sessionId: 'session-1' }]);
      const bob = await user('bob');
      await expect(bob.call('shell.exec', { input: '', sessionId: 'session-1' })).rejects.toMatchObject({
        code: 403,
      });
      await expect(alice.call('shell.exec', { input: '', sessionId: 'other' })).rejects.toMatchObject({
        code: 503,
      });
    });
  });

  describe('presence', () => {
    test('[R34] kernels hear of devices: a snapshot first, then every change', async () => {
      const kernel = room().replica;
      const before = Date.now();
      const client = await driver('watched', list, { implements: ['fs.read'] });
      const { device } = await kernel.signal(
        'device.status',
        ({ event, device }) => event === 'connected' && (device as Device).deviceId === 'watched',
      );
      expect(device).toMatchObject({
        deviceId: 'watched',
        ownerUid: ALICE,
        platform: 'test',
        implements: ['fs.read'],
        online: true,
        disconnectedAt: null,
      });
      expect((device as Device).connectedAt).toBeGreaterThanOrEqual(before - 1000);
      await client.close();
      const gone = await kernel.signal(
        'device.status',
        ({ event, device }) => event === 'disconnected' && (device as Device).deviceId === 'watched',
      );
      expect(gone.device).toMatchObject({ online: false, firstSeenAt: (device as Device).firstSeenAt });
      const late = await keep(room().kernel());
      const snapshot = await late.signal(
        'device.status',
        ({ device }) => (device as Device).deviceId === 'watched',
      );
      expect(snapshot).toMatchObject({ event: 'snapshot', device: { online: false } });
    });

    test('[R35] a newer connection of a device replaces the older one, and the device stays online', async () => {
      const older = await driver('twin', list);
      await driver('twin', async () => ({ data: { ...listing, files: ['new'] } }));
      expect(await older.closed()).toMatchObject({ code: 4409 });
      const alice = await user('alice');
      const { data } = await alice.call('fs.read', { path: '/', target: 'twin' });
      expect(data).toMatchObject({ files: ['new'] });
    });

    test('[R36] the id of a device belongs to its first owner', async () => {
      await driver('owned', list);
      await expect(
        room().driver('owned', list, { username: 'bob', token: tokens.bobsAny }),
      ).rejects.toMatchObject({ code: 403 });
    });

    test('[R37] without a kernel the room lists the devices that the user can use', async () => {
      await driver('desk', list);
      const alice = await user('alice');
      const bob = await user('bob');
      const devices = async (client: RoomClient, args = {}) => {
        const { data } = await client.call('sys.device.list', args);
        return (data as { devices: Device[] }).devices.map(({ deviceId }) => deviceId);
      };
      await expect.poll(() => devices(alice)).toEqual(['desk']);
      expect(await devices(alice, { includeOffline: true })).toContain('watched');
      expect(await devices(bob)).toEqual([]);
      expect((await alice.call('sys.device.get', { deviceId: 'desk' })).data).toMatchObject({
        device: { deviceId: 'desk', online: true, implements: ['fs.*', 'shell.*'] },
      });
      expect((await bob.call('sys.device.get', { deviceId: 'desk' })).data).toEqual({ device: null });
    });
  });
}

type Device = { deviceId: string; connectedAt: number; firstSeenAt: number };

const CHUNK = 64 * 1024;
const TOTAL = 80 * CHUNK;

function pattern(): ByteStream {
  let sent = 0;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent === TOTAL) return controller.close();
      controller.enqueue(new Uint8Array(CHUNK).map((_, at) => (sent + at) % 251));
      sent += CHUNK;
    },
  });
}

function hash(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
