import { MessageChannel } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { type PortLike, PortLink } from './port-link.ts';
import { type SocketLike, SocketLink } from './socket-link.ts';

class FakeSocket implements SocketLike {
  binaryType = 'blob';
  readonly sent: unknown[] = [];
  closedWith: [number | undefined, string | undefined] | null = null;
  broken = false;
  readonly #listeners = new Map<string, (event: never) => void>();

  send(data: string | Uint8Array): void {
    if (this.broken) throw new Error('CLOSING');
    this.sent.push(data);
  }

  close(code?: number, reason?: string): void {
    // As browsers and workerd do.
    if (new TextEncoder().encode(reason).length > 123) throw new SyntaxError('The reason is too long');
    this.closedWith = [code, reason];
  }

  addEventListener(type: string, listener: (event: never) => void): void {
    this.#listeners.set(type, listener);
  }

  fire(type: string, event: unknown): void {
    this.#listeners.get(type)?.(event as never);
  }
}

function listening(socket: FakeSocket) {
  const heard: unknown[] = [];
  const link = new SocketLink(socket);
  link.listen({ message: (message) => heard.push(message), closed: (reason) => heard.push({ reason }) });
  return { link, heard };
}

test('[W22] a socket carries frames as text and channels as bytes', () => {
  const socket = new FakeSocket();
  const { link, heard } = listening(socket);
  link.send({ type: 'sig', signal: 'x' });
  link.send(Uint8Array.of(1, 2));
  socket.fire('message', { data: '{}' });
  socket.fire('message', { data: Uint8Array.of(9).buffer });
  expect(socket.sent).toEqual(['{"type":"sig","signal":"x"}', Uint8Array.of(1, 2)]);
  expect(heard).toEqual(['{}', Uint8Array.of(9)]);
  expect(socket.binaryType).toBe('arraybuffer');
});

test('[W22] a socket is closed once, with as much of the reason as fits', () => {
  const socket = new FakeSocket();
  const { link, heard } = listening(socket);
  link.close(1002, 'ü'.repeat(200));
  socket.fire('close', { code: 1002, reason: 'x' });
  socket.fire('error', {});
  link.send({ type: 'sig', signal: 'late' });
  expect(socket.closedWith).toEqual([1002, 'ü'.repeat(61)]);
  expect(heard).toHaveLength(1);
  expect(socket.sent).toEqual([]);
});

test('[W22] a socket that cannot send any more is a closed link', () => {
  const socket = new FakeSocket();
  const { link, heard } = listening(socket);
  socket.broken = true;
  link.send({ type: 'sig', signal: 'x' });
  expect(heard).toEqual([{ reason: 'connection failed' }]);
});

test('[W23] a port tells its other end that it closes, and an end that died is reported once', async () => {
  const { port1, port2 } = new MessageChannel();
  const near = new PortLink(port1 as unknown as PortLike);
  const far = new PortLink(port2 as unknown as PortLike);
  const reasons: string[] = [];
  const told = new Promise<void>((resolve) => {
    far.listen({
      message: () => {},
      closed: (reason) => {
        reasons.push(`far: ${reason}`);
        resolve();
      },
    });
  });
  near.listen({ message: () => {}, closed: (reason) => reasons.push(`near: ${reason}`) });
  near.close(1000, 'bye');
  near.lost('the tab is gone');
  near.send({ type: 'sig', signal: 'late' });
  await told;
  expect(reasons).toEqual(['near: bye', 'far: bye']);
});
