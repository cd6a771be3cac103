import { HocuspocusProvider, HocuspocusProviderWebsocket } from '@hocuspocus/provider';
import { WebSocket } from 'ws';
import { WebsocketProvider } from 'y-websocket';
import * as Y from 'yjs';
import type { TestServer } from '../support/server.ts';
import { VirtualSockets } from '../support/virtual-sockets.ts';

/** One participant in a document. */
export type YjsClient = { doc: Y.Doc; close(): void };

/** Opens a further client of `name`. Resolves when it is in sync. */
export type OpenClient = (name: string) => Promise<YjsClient>;

class PlainSocket extends WebSocket {
  constructor(url: string) {
    super(url, { perMessageDeflate: false });
  }
}

const asPolyfill = (socket: unknown): typeof globalThis.WebSocket => socket as typeof globalThis.WebSocket;

/** y-websocket's own provider, over real sockets or over virtual ones of a room. */
async function provided(
  url: string,
  name: string,
  polyfill: typeof globalThis.WebSocket,
  close = () => {},
): Promise<YjsClient> {
  const doc = new Y.Doc();
  const provider = new WebsocketProvider(url, name, doc, { WebSocketPolyfill: polyfill, disableBc: true });
  await new Promise<void>((resolve) => provider.once('sync', () => resolve()));
  return {
    doc,
    close: () => {
      provider.destroy();
      // Its awareness goes on asking every 3 s as long as the document is there.
      doc.destroy();
      close();
    },
  };
}

export function yWebsocketClients(port: number): OpenClient {
  return (name) => provided(`ws://127.0.0.1:${port}`, name, asPolyfill(PlainSocket));
}

/** Through our room: each client is another replica's socket with the document on a channel of it. */
export function roomClients(server: TestServer, tokensByReplica: ReadonlyMap<string, string>): OpenClient {
  const replicas = [...tokensByReplica];
  let opened = 0;
  return async (name) => {
    const [id = '', token = ''] = replicas[opened % replicas.length] ?? [];
    opened += 1;
    const hello = { id, role: 'service', username: 'root', token } as const;
    const sockets = await VirtualSockets.open(server.socketUrl, hello);
    const end = (): void => sockets.peer.close(1000, 'done');
    return provided('ws://room', encodeURIComponent(name), sockets.polyfill, end);
  };
}

export function hocuspocusClients(port: number): OpenClient {
  return async (name) => {
    const doc = new Y.Doc();
    const websocketProvider = new HocuspocusProviderWebsocket({
      url: `ws://127.0.0.1:${port}`,
      WebSocketPolyfill: PlainSocket,
    });
    await new Promise<void>((resolve) => {
      const provider = new HocuspocusProvider({ websocketProvider, name, document: doc });
      provider.attach();
      provider.on('synced', () => resolve());
    });
    const close = (): void => {
      websocketProvider.destroy();
      doc.destroy();
    };
    return { doc, close };
  };
}
