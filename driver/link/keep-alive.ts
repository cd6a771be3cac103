import type { WebSocket } from 'ws';
import type { Clock } from '../../shared/std/clock.ts';

const PING_MS = 20_000;

/**
 * Ends a connection whose other end has silently gone (a laptop that slept, a network that forgot it): each ping
 * must be answered before the next. Returns what stops it.
 */
export function keepAlive(socket: WebSocket, clock: Clock): () => void {
  let answered = true;
  let cancel = (): void => {};
  const ping = (): void => {
    if (!answered) {
      socket.terminate();
      return;
    }
    answered = false;
    socket.ping();
    cancel = clock.after(PING_MS, ping);
  };
  socket.on('pong', () => {
    answered = true;
  });
  cancel = clock.after(PING_MS, ping);
  return () => cancel();
}
