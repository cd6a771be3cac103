import { expect, test } from 'vitest';
import { opened } from './socket-dialer.ts';

/** As much of a browser's socket as an opening needs. */
class Socket extends EventTarget {
  closed = false;
  close(): void {
    this.closed = true;
  }
}

function opening() {
  const socket = new Socket();
  const patience = new AbortController();
  return { socket, patience, result: opened(socket as unknown as WebSocket, patience.signal) };
}

test('[R68] a connection to the room outlives the time that it had to open', async () => {
  const { socket, patience, result } = opening();
  socket.dispatchEvent(new Event('open'));
  await result;
  patience.abort();
  expect(socket.closed).toBe(false);
});

test('[R68] a connection that does not open in time is closed', async () => {
  const { socket, patience, result } = opening();
  patience.abort();
  await expect(result).rejects.toThrow('The server cannot be reached');
  expect(socket.closed).toBe(true);
});
