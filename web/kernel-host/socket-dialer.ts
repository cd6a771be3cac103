import type { RoomDialer } from '../../shared/kernel/ports/room-dialer.ts';
import type { Link } from '../../shared/protocol/link.ts';
import { SocketLink } from '../../shared/protocol/socket-link.ts';

const OPEN_MS = 10_000;

/** The room that served this page, over a WebSocket. */
export class SocketDialer implements RoomDialer {
  readonly #origin: string;
  #token: string | null = null;

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** The bearer token for the relay; null while this replica is not joined. */
  get token(): string | null {
    return this.#token;
  }

  setToken(token: string | null): void {
    this.#token = token;
  }

  async dial(signal: AbortSignal): Promise<Link> {
    const url = new URL('/ws', this.#origin);
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    const socket = new WebSocket(url);
    await opened(socket, AbortSignal.any([signal, AbortSignal.timeout(OPEN_MS)]));
    return new SocketLink(socket);
  }
}

function opened(socket: WebSocket, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (): void => {
      socket.close();
      reject(new Error('The server cannot be reached'));
    };
    socket.addEventListener('open', () => resolve(), { once: true });
    socket.addEventListener('error', fail, { once: true });
    socket.addEventListener('close', fail, { once: true });
    signal.addEventListener('abort', fail, { once: true });
  });
}
