import { WebSocket } from 'ws';

/** The device's side of the bare relay: answers every request with the content given on the command line. */
const [, , port, content] = process.argv;
const socket = new WebSocket(`ws://127.0.0.1:${port}/device`, { perMessageDeflate: false });

socket.on('open', () => console.log('ready'));
socket.on('message', (text) => {
  const { id, args } = JSON.parse(text);
  const data = { ok: true, path: args.path, content, totalLines: 1, size: content.length };
  socket.send(JSON.stringify({ type: 'res', id, ok: true, data }));
});
