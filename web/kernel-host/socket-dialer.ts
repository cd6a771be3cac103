import type { RoomDialer } from '../../shared/kernel/ports/room-dialer.ts';
import type { Link } from '../../shared/protocol/link.ts';
import { SocketLink } from '../../shared/protocol/socket-link.ts';

const OPEN_MS = 10_000;

/** The room that served this page, over a WebSocket. */
export class SocketDialer implements RoomDialer {
  readonly #origin: string;
  #token: string | null = null;
  #withheld = false;

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** The bearer token for the relay; null while this replica is not joined, and while it is withheld. */
  get token(): string | null {
    return this.#token;
  }

  /** Whether nothing may pass the relay. */
  get withheld(): boolean {
    return this.#withheld;
  }

  setToken(token: string | null, withheld = false): void {
    this.#token = token;
    this.#withheld = withheld;
  }

  async dial(signal: AbortSignal): Promise<Link> {
    const url = new URL('/ws', this.#origin);
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    const socket = new WebSocket(url);
    await opened(socket, AbortSignal.any([signal, AbortSignal.timeout(OPEN_MS)]));
    return new SocketLink(socket);
  }
}

/** Rejects when the signal aborts first; once the socket is open, the signal has no more say over it. */
export function opened(socket: WebSocket, signal: AbortSignal): Promise<void> {
  const settled = new AbortController();
  return new Promise((resolve, reject) => {
    const options = { once: true, signal: settled.signal };
    const fail = (): void => {
      settled.abort();
      socket.close();
      reject(new Error('The server cannot be reached'));
    };
    const open = (): void => {
      settled.abort();
      resolve();
    };
    socket.addEventListener('open', open, options);
    socket.addEventListener('error', fail, options);
    socket.addEventListener('close', fail, options);
    signal.addEventListener('abort', fail, options);
  });
}
