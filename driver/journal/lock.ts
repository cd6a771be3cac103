import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../usage.ts';

/**
 * Makes this the only program that uses a state directory, for as long as it lives: a socket that the system takes
 * back at any death. Rejects with UsageError when another driver is alive. Returns what gives it up.
 */
export async function holdLock(directory: string): Promise<() => Promise<void>> {
  const path = socketPath(directory);
  const server = (await listen(path)) ?? (await listenInstead(path));
  if (!server) throw new UsageError(`Another driver is running with the state directory ${directory}`);
  server.unref();
  return () => new Promise((resolve) => server.close(() => resolve()));
}

/** The path of a socket may be this long on every system. */
const LONGEST_SOCKET_PATH = 100;

/** In the directory itself; where that path is too long, beside the temporary files. */
function socketPath(directory: string): string {
  const within = join(directory, 'lock');
  if (Buffer.byteLength(within) <= LONGEST_SOCKET_PATH) return within;
  const name = createHash('sha256').update(directory).digest('hex').slice(0, 24);
  return join(tmpdir(), `gsv-${userInfo().uid}-${name}`);
}

/** Takes the place of a driver that died and left its socket. */
async function listenInstead(path: string): Promise<Server | undefined> {
  if (await answers(path)) return undefined;
  rmSync(path, { force: true });
  return listen(path);
}

function listen(path: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(new UsageError(`The state directory cannot be locked (${error.code}): ${path}`));
    });
    server.listen(path, () => resolve(server));
  });
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
