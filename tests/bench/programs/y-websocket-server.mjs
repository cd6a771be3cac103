import { createServer } from 'node:http';
import { setupWSConnection } from '@y/websocket-server/utils';
import { WebSocketServer } from 'ws';

/** `@y/websocket-server` as it is meant to be run: documents in memory, no compression. Prints its port. */
const server = createServer();
const sockets = new WebSocketServer({ server, perMessageDeflate: false });
sockets.on('connection', setupWSConnection);
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
