import { WebSocket } from 'ws';
import type { RoomDialer } from '../../shared/kernel/ports/room-dialer.ts';
import { type SocketLike, SocketLink } from '../../shared/protocol/socket-link.ts';

/** The way to a real server for a kernel in this process; `traffic` is told of every frame's bytes, both ways. */
export function nodeDialer(
  socketUrl: string,
  traffic: (way: 'sent' | 'received', bytes: number) => void = () => {},
): RoomDialer {
  return {
    dial: async () => {
      const socket = new WebSocket(socketUrl, { perMessageDeflate: false });
      await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
      const send = socket.send.bind(socket);
      const counted = (data: string | Uint8Array): void => {
        traffic('sent', typeof data === 'string' ? Buffer.byteLength(data) : data.length);
        send(data);
      };
      Object.assign(socket, { send: counted });
      socket.on('message', (data: Buffer | ArrayBuffer) => traffic('received', data.byteLength));
      return new SocketLink(socket as unknown as SocketLike);
    },
    setToken: () => {},
  };
}
