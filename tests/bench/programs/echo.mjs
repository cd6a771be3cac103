import { readFile } from 'node:fs/promises';
import { WebSocket } from 'ws';

/** The device's side of the bare relay: answers every request with a text, or with the file it was told to read. */
const [, , port, file] = process.argv;
const socket = new WebSocket(`ws://127.0.0.1:${port}/device`, { perMessageDeflate: false });
const content = async () => (file === '-' ? '     1\talpha\n     2\tbeta' : readFile(file, 'utf8'));

socket.on('open', () => console.log('ready'));
socket.on('message', async (text) => {
  const { id, args } = JSON.parse(text);
  const data = { ok: true, path: args.path, content: await content(), lines: 2, size: 11 };
  socket.send(JSON.stringify({ type: 'res', id, ok: true, data }));
});
