import { WebSocket } from 'ws';
import { SyscallError } from '../../shared/protocol/errors.ts';
import { Peer } from '../../shared/protocol/peer.ts';
import { type SocketLike, SocketLink } from '../../shared/protocol/socket-link.ts';
import { systemClock } from '../../sync-server/hosts/ambient.ts';
import { connectArgs, type Hello } from './room-client.ts';

type Handler = ((event: { data?: ArrayBuffer; code?: number; reason?: string }) => void) | null;

/**
 * One socket to a room that carries a virtual socket for each document, so that any program made for y-websocket
 * (its `WebsocketProvider` takes a WebSocket class) syncs with the room.
 */
export class VirtualSockets {
  readonly peer: Peer;
  readonly socket: WebSocket;
  readonly #channels = new Map<number, (bytes: Uint8Array) => void>();
  readonly #closed = new Set<(reason: string) => void>();

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.binaryType = 'arraybuffer';
    this.peer = new Peer(new SocketLink(socket as unknown as SocketLike), 'connecting', systemClock, {
      call: () => Promise.reject(new SyscallError(404, 'nothing here')),
      signal: () => {},
      bytes: (channel, bytes) => {
        this.#channels.get(channel)?.(bytes);
        return this.#channels.has(channel);
      },
      closed: (reason) => {
        for (const closed of this.#closed) closed(reason);
      },
    });
  }

  /** Rejects as the room refuses it. */
  static async open(socketUrl: string, hello: Hello): Promise<VirtualSockets> {
    const socket = new WebSocket(socketUrl, { perMessageDeflate: false });
    const sockets = new VirtualSockets(socket);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    await sockets.peer.call('sys.connect', connectArgs(hello));
    return sockets;
  }

  /** What `WebsocketProvider` wants as its `WebSocketPolyfill`: the last part of the address names the document. */
  get polyfill(): typeof globalThis.WebSocket {
    const open = (url: string, socket: VirtualSocket): void =>
      void this.#open(decodeURIComponent(new URL(url).pathname.slice(1)), socket);
    class BoundSocket extends VirtualSocket {
      constructor(url: string) {
        super();
        open(url, this);
      }
    }
    return BoundSocket as unknown as typeof globalThis.WebSocket;
  }

  async #open(doc: string, socket: VirtualSocket): Promise<void> {
    const channel = this.peer.streams.allocate();
    this.#channels.set(channel, (bytes) => socket.onmessage?.({ data: bytes.slice().buffer }));
    this.#closed.add((reason) => socket.onclose?.({ code: 1006, reason }));
    socket.send = (bytes) => this.peer.sendBytes(channel, bytes);
    socket.close = () => void this.#channels.delete(channel);
    try {
      await this.peer.call('doc.open', { doc, channel });
      socket.onopen?.({});
    } catch (thrown) {
      socket.onclose?.({ code: 1011, reason: String(thrown) });
    }
  }
}

/** The part of a WebSocket that `WebsocketProvider` uses. */
class VirtualSocket {
  binaryType = 'arraybuffer';
  onopen: Handler = null;
  onmessage: Handler = null;
  onclose: Handler = null;
  onerror: Handler = null;
  send: (bytes: Uint8Array) => void = () => {};
  close: () => void = () => {};
}
