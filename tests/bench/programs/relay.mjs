import { WebSocketServer } from 'ws';

/**
 * A bare relay: lets in whoever says `sys.connect`, first the device and then its caller, and from then on passes every
 * frame of one to the other as it is. Prints its port.
 */
const sockets = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
const ends = { driver: null, user: null };

sockets.on('listening', () => console.log(sockets.address().port));
sockets.on('connection', (socket) => {
  socket.once('message', (text) => {
    const { id, args } = JSON.parse(String(text));
    const { role } = args.client;
    ends[role] = socket;
    socket.send(JSON.stringify({ type: 'res', id, ok: true, data: welcome(args) }));
    const other = role === 'user' ? 'driver' : 'user';
    socket.on('message', (data, binary) => ends[other]?.send(data, { binary }));
  });
});

function welcome({ protocol, client, driver }) {
  const home = { uid: 1000, gid: 100, gids: [100], username: 'alice', home: '/home/alice' };
  const process = { ...home, cwd: '/home/alice', workspaceId: null };
  const own = driver ? { device: client.id, implements: driver.implements } : {};
  return {
    protocol,
    server: { version: '0', connectionId: client.id },
    identity: { role: client.role, process, capabilities: [], ...own },
    syscalls: [],
    signals: [],
  };
}
