import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type RawData, WebSocket, WebSocketServer } from 'ws';

/** Stands before a server and keeps whatever passes, both ways, as it was before it was put into frames. */
export type RecordingProxy = {
  url: string;
  socketUrl: string;
  /** Everything that has passed, in the order in which it came. */
  passed(): Buffer[];
  stop(): Promise<void>;
};

/** `port` is that of the server, which may be killed and come back. */
export async function startRecordingProxy(port: number): Promise<RecordingProxy> {
  const kept: Buffer[] = [];
  const keep = (bytes: Buffer): Buffer => {
    kept.push(bytes);
    return bytes;
  };
  const server = createServer((from, to) => {
    const { url = '/', method = 'GET', headers } = from;
    keep(Buffer.from(`${method} ${url}\n${JSON.stringify(headers)}`));
    const onward = request({ host: '127.0.0.1', port, path: url, method, headers }, (answer) => {
      to.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.on('data', (bytes: Buffer) => to.write(keep(bytes))).on('end', () => to.end());
    });
    onward.on('error', () => to.writeHead(502).end());
    from.on('data', (bytes: Buffer) => onward.write(keep(bytes))).on('end', () => onward.end());
  });
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  server.on('upgrade', (from: IncomingMessage, socket, head) => {
    keep(Buffer.from(`${from.url}\n${JSON.stringify(from.headers)}`));
    sockets.handleUpgrade(from, socket, head, (near) => join(near, new URL(from.url ?? '/', ws(port)), keep));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const own = (server.address() as AddressInfo).port;
  return {
    url: `http://127.0.0.1:${own}`,
    socketUrl: `${ws(own)}/ws`,
    passed: () => kept,
    stop: async () => {
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function ws(port: number): string {
  return `ws://127.0.0.1:${port}`;
}

/** What either end says, the other hears; when one is gone, so is the other. */
function join(near: WebSocket, address: URL, keep: (bytes: Buffer) => Buffer): void {
  const far = new WebSocket(address, { perMessageDeflate: false });
  const early: [Buffer, boolean][] = [];
  near.on('message', (data, isBinary) => {
    const bytes = keep(bytesOf(data));
    if (far.readyState === WebSocket.OPEN) far.send(bytes, { binary: isBinary });
    else early.push([bytes, isBinary]);
  });
  far.on('open', () => {
    for (const [bytes, binary] of early.splice(0)) far.send(bytes, { binary });
  });
  far.on('message', (data, isBinary) => near.send(keep(bytesOf(data)), { binary: isBinary }));
  for (const [one, other] of [
    [near, far],
    [far, near],
  ] as const) {
    one.on('close', () => other.close());
    one.on('error', () => other.terminate());
  }
}

function bytesOf(data: RawData): Buffer {
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as ArrayBuffer);
}
