import { describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import type { ClaimedRoom } from '../support/claimed-room.ts';
import { tokens } from '../support/claimed-room.ts';
import { hostileFrames } from '../support/hostile-frames.ts';
import { connectArgs } from '../support/room-client.ts';

/** Frames sent on one socket before it is given up; most sockets are closed by their first bad frame. */
const PER_SOCKET = 24;
const AT_ONCE = 16;

export function hostileRules(room: () => ClaimedRoom, count: number): void {
  describe('hostile peers', () => {
    test(`[R48] ${count} malformed frames close their own sockets and change nothing`, {
      timeout: 120_000,
    }, async () => {
      const frames = hostileFrames(20_260_315, count);
      const hello = JSON.stringify({
        type: 'req',
        id: 'h',
        call: 'sys.connect',
        args: connectArgs({ id: 'replica-2', role: 'service', username: 'root', token: tokens.otherReplica }),
      });
      const before = room().tables.config.size;
      let sent = 0;
      const attack = async (): Promise<void> => {
        while (frames.length > 0) {
          // Every other socket has signed in, so that what lies behind the handshake is attacked too.
          const some = frames.splice(0, PER_SOCKET);
          const done = await sendAll(
            room().address.socketUrl,
            frames.length % 48 === 16 ? [hello] : [],
            some,
          );
          sent += done;
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, attack));
      expect(sent).toBe(count);
      const alice = await room().user('alice');
      expect((await alice.call('sys.device.list', {})).data).toHaveProperty('devices');
      expect(room().replica.peer.closed).toBe(false);
      expect(room().tables.config.size).toBe(before);
      await alice.close();
    });

    test('[R201] of who has not signed in no body is read', async () => {
      const hello = { type: 'req', id: 'a', call: 'sys.connect', body: { channel: 1, size: 1024 * 1024 } };
      expect(await closing(room().address.socketUrl, JSON.stringify(hello))).toEqual({
        code: 1002,
        reason: 'a body is not taken before sys.connect',
      });
      expect(room().replica.peer.closed).toBe(false);
    });

    test('[R49] a text frame over 1 MiB, too deep or not JSON closes that connection alone with a reason', async () => {
      const closings = await Promise.all(
        [
          '{"type":',
          `{"type":"sig","signal":"x","payload":${'['.repeat(70)}${']'.repeat(70)}}`,
          'x'.repeat(1024 * 1024 + 1),
        ].map((text) => closing(room().address.socketUrl, text)),
      );
      expect(closings.map(({ reason }) => reason).slice(0, 2)).toEqual([
        'frame is not JSON',
        'frame is too deep',
      ]);
      expect(closings.every(({ code }) => code === 1002 || code === 1009 || code === 1006)).toBe(true);
      expect(room().replica.peer.closed).toBe(false);
    });
  });
}

/** Sends frames, opening the socket again whenever the room closes it, until all are sent. */
async function sendAll(url: string, first: string[], frames: (string | Uint8Array)[]): Promise<number> {
  let at = 0;
  while (at < frames.length) {
    const socket = await opened(url);
    for (const frame of first) socket.send(frame);
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    while (at < frames.length && socket.readyState === WebSocket.OPEN) {
      socket.send(frames[at] as string);
      at += 1;
      await new Promise((resolve) => setImmediate(resolve));
    }
    socket.close();
    await closed;
  }
  return at;
}

async function closing(url: string, text: string): Promise<{ code: number; reason: string }> {
  const socket = await opened(url);
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() }));
  });
  socket.send(text);
  return closed;
}

async function opened(url: string): Promise<WebSocket> {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  socket.on('error', () => {});
  await new Promise<void>((resolve) => {
    socket.once('open', () => resolve());
    socket.once('close', () => resolve());
  });
  return socket;
}
