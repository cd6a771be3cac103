import { WebSocketServer } from 'ws';

/** A bare relay: what comes from `/client` goes to `/device` and back, as it is. Prints its port. */
const sockets = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
const ends = new Map();

sockets.on('listening', () => console.log(sockets.address().port));
sockets.on('connection', (socket, request) => {
  const other = request.url === '/client' ? '/device' : '/client';
  ends.set(request.url, socket);
  socket.on('message', (data, binary) => ends.get(other)?.send(data, { binary }));
});
