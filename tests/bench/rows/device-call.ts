import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { systemClock } from '../../../driver/host/system.ts';
import { dial, type Introduction } from '../../../driver/link/dial.ts';
import type { PeerHandlers } from '../../../shared/protocol/peer.ts';
import { claimRoom, tokens } from '../../support/claimed-room.ts';
import { startDriver } from '../../support/driver.ts';
import { startServer } from '../../support/server.ts';
import { median, paired, type Row, rowOf } from '../row.ts';
import { type BenchSite, distDir } from '../site.ts';

const RUNS = 9;
const WARM_UPS = 4;
const CALLS = 200;
const CONTENT = 'alpha\nbeta\n';
const ARGS = { target: 'laptop', path: 'notes.txt' };

type Side = { call(): Promise<unknown>; stop(): Promise<unknown> };

/**
 * `fs.read` of a small file on a device through the room, against a bare relay between two programs: one that echoes,
 * and one that reads the file too, so that what differs is the room alone.
 */
export async function deviceCall(site: BenchSite): Promise<Row[]> {
  const file = join(site.folder('workspace'), ARGS.path);
  writeFileSync(file, CONTENT);
  const [room, echo, reading] = await Promise.all([
    throughRoom(site, dirname(file)),
    throughRelay('-'),
    throughRelay(file),
  ]);
  const against = async (name: string, peer: string, theirs: Side): Promise<Row> => {
    const [ours, other] = [() => middleOf(room.call), () => middleOf(theirs.call)];
    const pairs = await paired(RUNS, ours, other, WARM_UPS);
    return rowOf({ name, peer, unit: 'ms', budget: 2.5 }, pairs);
  };
  try {
    return [
      await against('device call through the room, p50', 'ws 8.23.0 relay to an echo', echo),
      await against('the same, the peer reads the file too', 'ws 8.23.0 relay to a reader', reading),
    ];
  } finally {
    await Promise.all([room.stop(), echo.stop(), reading.stop()]);
  }
}

async function throughRoom(site: BenchSite, workspace: string): Promise<Side> {
  const server = await startServer({ distDir });
  await claimRoom(server);
  const options = { url: server.url, token: tokens.laptop, id: ARGS.target, args: ['--user', 'alice'] };
  const driver = await startDriver({ ...options, workspace, stateDir: site.folder('state') });
  await driver.waitConnected();
  const { peer } = await connectAsUser(server.socketUrl);
  return {
    call: () => peer.call('fs.read', ARGS),
    stop: async () => {
      await driver.stop();
      await server.stop();
    },
  };
}

/** A connection as the command line makes it. */
function connectAsUser(socketUrl: string) {
  const introduction: Introduction = {
    client: { id: 'bench', role: 'user' },
    auth: { username: 'alice', token: tokens.alice },
  };
  const handlers: PeerHandlers = {
    call: () => Promise.reject(new Error('not called')),
    signal: () => {},
    closed: () => {},
  };
  return dial(socketUrl, introduction, systemClock, handlers);
}

/** `file` is what the answering program reads for each request; `-` for nothing. */
async function throughRelay(file: string): Promise<Side> {
  const relay = program('relay.mjs');
  const port = (await firstLine(relay)).trim();
  const echo = program('echo.mjs', port, file);
  await firstLine(echo);
  const socket = new WebSocket(`ws://127.0.0.1:${port}/client`, { perMessageDeflate: false });
  await once(socket, 'open');
  let calls = 0;
  return {
    call: async () => {
      calls += 1;
      const frame = { type: 'req', id: `c${calls}`, call: 'fs.read', args: ARGS, ttl: 60_000 };
      socket.send(JSON.stringify(frame));
      const [text] = await once(socket, 'message');
      return JSON.parse(String(text));
    },
    stop: async () => {
      socket.close();
      echo.kill();
      relay.kill();
    },
  };
}

function program(name: string, ...args: string[]): ChildProcess {
  const path = fileURLToPath(new URL(`../programs/${name}`, import.meta.url));
  return spawn(process.execPath, [path, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('The program has no output');
  const [text] = await once(child.stdout, 'data');
  return String(text);
}

async function middleOf(call: () => Promise<unknown>): Promise<number> {
  const taken: number[] = [];
  for (let n = 0; n < CALLS; n += 1) {
    const started = performance.now();
    await call();
    taken.push(performance.now() - started);
  }
  return median(taken);
}
