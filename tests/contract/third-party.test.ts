import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebsocketProvider } from 'y-websocket';
import * as Y from 'yjs';
import { claimRoom, tokens } from '../support/claimed-room.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { VirtualSockets } from '../support/virtual-sockets.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
  await claimRoom(server);
});
afterAll(() => server.stop());

/** A browser of its own for each: a newer connection of one would close the older. */
const browsers = { 'replica-2': tokens.otherReplica, 'replica-3': tokens.thirdReplica };

/** A document behind y-websocket's own provider, in sync with the room. */
async function provided(id: keyof typeof browsers, name: string) {
  const hello = { id, role: 'service', username: 'root', token: browsers[id] } as const;
  const sockets = await VirtualSockets.open(server.socketUrl, hello);
  const doc = new Y.Doc();
  const options = { WebSocketPolyfill: sockets.polyfill, disableBc: true };
  const provider = new WebsocketProvider('ws://room', encodeURIComponent(name), doc, options);
  await new Promise<void>((resolve) => provider.once('sync', () => resolve()));
  const close = (): void => {
    provider.destroy();
    sockets.peer.close(1000, 'done');
  };
  return { doc, close };
}

test('[S41] a program made for y-websocket reads and writes a document of the room, over one socket', async () => {
  const name = 'conv/test/default/state';
  const writer = await provided('replica-2', name);
  const reader = await provided('replica-3', name);
  writer.doc.getMap('rows').set('a', { text: 'hello' });
  await expect.poll(() => reader.doc.getMap('rows').get('a')).toEqual({ text: 'hello' });
  reader.doc.getMap('rows').set('b', { text: 'and back' });
  await expect.poll(() => writer.doc.getMap('rows').get('b')).toEqual({ text: 'and back' });
  for (const { close } of [writer, reader]) close();
  await server.killWorkerd();
  const later = await provided('replica-2', name);
  expect(later.doc.getMap('rows').toJSON()).toEqual({ a: { text: 'hello' }, b: { text: 'and back' } });
  later.close();
});
