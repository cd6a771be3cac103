import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../../driver/host/system.ts';
import { dial, type Introduction } from '../../../driver/link/dial.ts';
import type { PeerHandlers } from '../../../shared/protocol/peer.ts';
import { claimRoom, tokens } from '../../support/claimed-room.ts';
import { startDriver } from '../../support/driver.ts';
import { startServer } from '../../support/server.ts';
import { startProgram } from '../program.ts';
import { median, paired, type Row, rowOf } from '../row.ts';
import { type BenchSite, distDir } from '../site.ts';

const RUNS = 9;
const WARM_UPS = 4;
const CALLS = 200;
const CONTENT = 'alpha\nbeta\n';
const ARGS = { target: 'laptop', path: 'notes.txt' };

type Side = { call(): Promise<unknown>; stop(): Promise<unknown> };

/** `fs.read` of a small file on a device through the room, against a bare relay between the same two programs. */
export async function deviceCall(site: BenchSite): Promise<Row[]> {
  const workspace = site.folder('workspace');
  writeFileSync(join(workspace, ARGS.path), CONTENT);
  const [room, relayed] = await Promise.all([throughRoom(site, workspace), throughRelay(site, workspace)]);
  const described = { name: 'device call through the room, p50', peer: 'ws 8.23.0 relay, same two programs' };
  try {
    const [ours, theirs] = [() => middleOf(room.call), () => middleOf(relayed.call)];
    return [rowOf({ ...described, unit: 'ms', budget: 2.5 }, await paired(RUNS, ours, theirs, WARM_UPS))];
  } finally {
    await Promise.all([room.stop(), relayed.stop()]);
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

/** The real driver and the same client, with nothing between them but a relay that lets both in. */
async function throughRelay(site: BenchSite, workspace: string): Promise<Side> {
  const relay = await startProgram('relay.mjs');
  const url = `http://127.0.0.1:${relay.firstLine}`;
  const options = { url, token: tokens.laptop, id: ARGS.target, args: ['--user', 'alice'] };
  const driver = await startDriver({ ...options, workspace, stateDir: site.folder('relayed-state') });
  await driver.waitConnected();
  const { peer } = await connectAsUser(`ws://127.0.0.1:${relay.firstLine}/ws`);
  return {
    call: () => peer.call('fs.read', ARGS),
    stop: async () => {
      await driver.stop();
      relay.stop();
    },
  };
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
