import { randomUUID } from 'node:crypto';
import type * as Y from 'yjs';
import { claimRoom } from '../../support/claimed-room.ts';
import { startServer } from '../../support/server.ts';
import { putToken } from '../../support/system-doc.ts';
import { startProgram } from '../program.ts';
import { paired, type Row, rowOf } from '../row.ts';
import { type BenchSite, distDir } from '../site.ts';
import { hocuspocusClients, type OpenClient, roomClients, yWebsocketClients } from '../yjs-clients.ts';

const RUNS = 5;
const CLIENTS = 10;
const PER_SECOND = 100;
const UPDATES = 400;
const BURST = 2000;
/** Updates that may be on their way at once in the burst. */
const WINDOW = 64;

/** Updates of one document from one client to nine others, ours stored before it is passed on, theirs in memory. */
export async function replication(_site: BenchSite): Promise<Row[]> {
  const server = await startServer({ distDir });
  const claimed = await claimRoom(server);
  const replicas = new Map(
    Array.from({ length: CLIENTS }, (_, n) => [`bench-${n}`, `gsv_service_bench_${n}`]),
  );
  await claimed.change((tables) => {
    for (const [id, token] of replicas)
      putToken(tables, token, { uid: 0, kind: 'service', allowedDeviceId: `replica:${id}` });
  });
  const [yWebsocket, hocuspocus] = await Promise.all([
    startProgram('y-websocket-server.mjs'),
    startProgram('hocuspocus-server.mjs'),
  ]);
  const ours = roomClients(server, replicas);
  const peers: [string, OpenClient][] = [
    ['@y/websocket-server 0.1.1', yWebsocketClients(Number(yWebsocket.firstLine))],
    ['@hocuspocus/server 4.7.0', hocuspocusClients(Number(hocuspocus.firstLine))],
  ];
  const rows: Row[] = [];
  try {
    for (const [peer, theirs] of peers) rows.push(...(await against(peer, ours, theirs)));
  } finally {
    yWebsocket.stop();
    hocuspocus.stop();
    await server.stop();
  }
  return rows;
}

async function against(peer: string, ours: OpenClient, theirs: OpenClient): Promise<Row[]> {
  const late = await paired(
    RUNS,
    () => latency(ours),
    () => latency(theirs),
  );
  const burst = await paired(
    RUNS,
    () => throughput(ours),
    () => throughput(theirs),
  );
  return [
    rowOf({ name: 'update to nine others at 100/s, p99', peer, unit: 'ms', budget: 1 }, late),
    rowOf({ name: `${BURST} updates as fast as they go`, peer, unit: 'ms', budget: 1 }, burst),
  ];
}

/** The 99th percentile, in ms, of the time from a change until another client has it. */
async function latency(open: OpenClient): Promise<number> {
  return withClients(open, async ([writer, ...readers]) => {
    const taken: number[] = [];
    const sent = new Map<string, number>();
    const all = received(readers, UPDATES, (key) => taken.push(performance.now() - (sent.get(key) ?? 0)));
    const started = performance.now();
    for (let n = 0; n < UPDATES; n += 1) {
      await until(started + (n * 1000) / PER_SECOND);
      sent.set(String(n), performance.now());
      writer?.getMap('rows').set(String(n), { n, text: 'a row of some words, as messages are' });
    }
    await all;
    return taken.sort((a, b) => a - b)[Math.floor(taken.length * 0.99)] ?? Number.NaN;
  });
}

/** Milliseconds until nine clients have a burst of updates. */
async function throughput(open: OpenClient): Promise<number> {
  return withClients(open, async ([writer, ...readers]) => {
    let arrived = 0;
    const all = received(readers, BURST, () => {
      arrived += 1;
    });
    const started = performance.now();
    for (let n = 0; n < BURST; n += 1) {
      while (n - arrived / readers.length > WINDOW) await turn();
      writer?.getMap('rows').set(String(n), { n, text: 'a row of some words, as messages are' });
    }
    await all;
    return performance.now() - started;
  });
}

async function withClients(open: OpenClient, run: (docs: Y.Doc[]) => Promise<number>): Promise<number> {
  const name = `bench/${randomUUID()}`;
  const clients = await Promise.all(Array.from({ length: CLIENTS }, () => open(name)));
  try {
    return await run(clients.map(({ doc }) => doc));
  } finally {
    for (const client of clients) client.close();
  }
}

/** Resolves when each reader has seen `count` keys; `each` is told of every one. */
async function received(readers: Y.Doc[], count: number, each: (key: string) => void): Promise<void> {
  const waits = readers.map(
    (doc) =>
      new Promise<void>((resolve) => {
        let seen = 0;
        doc.getMap('rows').observe(({ keysChanged }) => {
          for (const key of keysChanged) each(String(key));
          seen += keysChanged.size;
          if (seen >= count) resolve();
        });
      }),
  );
  await Promise.all(waits);
}

async function until(moment: number): Promise<void> {
  while (performance.now() < moment) await turn();
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
