import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { readAll, streamOf } from '../../shared/protocol/streams.ts';
import { claimRoom, tokens } from '../support/claimed-room.ts';
import { RoomClient } from '../support/room-client.ts';
import { hashOf, sampleBytes } from '../support/sample-bytes.ts';
import { startServer, type TestServer } from '../support/server.ts';

const MB = 1024 * 1024;

describe('kill -9 of workerd', () => {
  let server: TestServer;
  let first: RoomClient;
  // One for each test: a server waits longer with every workerd that it loses.
  beforeEach(async () => {
    server = await startServer();
    ({ replica: first } = await claimRoom(server));
  });
  afterEach(() => server?.stop());

  const replica = async (): Promise<RoomClient> => {
    const client = await RoomClient.open(server.socketUrl);
    await client.connect({ id: 'replica-1', role: 'service', username: 'root', token: tokens.replica });
    return client;
  };
  const stored = async (client: RoomClient, hash: string): Promise<number | undefined> => {
    const { data } = await client.call('blob.missing', { hashes: [hash] });
    return (data as { missing: { stored: number }[] }).missing[0]?.stored;
  };

  test('[R103] in the middle of an upload keeps what was stored, and the rest is enough', async () => {
    const bytes = sampleBytes(20 * MB, 1);
    const hash = hashOf(bytes);
    let sent = 0;
    const slowly = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        if (sent >= 12 * MB) return;
        controller.enqueue(bytes.subarray(sent, sent + MB));
        sent += MB;
      },
    });
    const cut = first.call('blob.put', { hash, size: bytes.length, offset: 0 }, { stream: slowly });
    const broken = expect(cut).rejects.toMatchObject({ code: 503 });
    await expect.poll(() => stored(first, hash), { timeout: 20_000 }).toBeGreaterThanOrEqual(6 * MB);
    const before = (await stored(first, hash)) ?? 0;
    await server.killWorkerd();
    await broken;
    const second = await replica();
    const offset = (await stored(second, hash)) ?? 0;
    expect(offset).toBeGreaterThanOrEqual(before);
    expect(offset).toBeLessThanOrEqual(12 * MB);
    const rest = { hash, size: bytes.length, offset };
    const put = await second.call('blob.put', rest, { stream: streamOf(bytes.subarray(offset)) });
    expect(put.data).toEqual({ stored: bytes.length, whole: true });
    const { stream } = await second.call('blob.get', { hash, offset: 0 });
    if (!stream) throw new Error('no bytes came');
    expect(hashOf(await readAll(stream, bytes.length))).toBe(hash);
    await second.close();
  });

  test('[R117] in the middle of a stream of writes loses nothing that was acknowledged', async () => {
    const KILLS = 5;
    const MOST_OUTSTANDING = 300;
    const doc = new Y.Doc();
    const rows = doc.getMap<number>('rows');
    let acknowledged = 0;
    for (let kill = 0; kill < KILLS; kill += 1) {
      const client = await replica();
      const sync = await client.sync('stream', doc);
      await sync.settled();
      const before = sync.acknowledged;
      let gone = false;
      void client.closed().then(() => {
        gone = true;
      });
      // Killed when some are confirmed, while more are on their way.
      const killed = expect
        .poll(() => sync.acknowledged - before > 20)
        .toBe(true)
        .then(server.killWorkerd);
      for (let at = 0; !gone; at += 1) {
        if (sync.outstanding < MOST_OUTSTANDING) rows.set(`${kill}/${at}`, at);
        if (at % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
      }
      acknowledged += sync.acknowledged - before;
      sync.stop();
      await killed;
    }
    const last = await replica();
    const copy = new Y.Doc();
    const sync = await last.sync('stream', copy);
    await sync.settled();
    expect(copy.getMap('rows').size).toBeGreaterThanOrEqual(acknowledged);
    for (const [key, value] of copy.getMap('rows')) expect(rows.get(key)).toBe(value);
    await (await last.sync('stream', doc)).settled();
    await expect.poll(() => copy.getMap('rows').size).toBe(rows.size);
    await last.close();
  });

  test('[R96] leaves every lease its holder’s and no epoch is given again', async () => {
    const before = await replica();
    const take = async (client: RoomClient, force = false) =>
      (await client.call('lease.acquire', { name: 'seat', force })).data;
    const granted = (await take(before)) as { epoch: number };
    await server.killWorkerd();
    const other = await RoomClient.open(server.socketUrl);
    await other.connect({ id: 'replica-2', role: 'service', username: 'root', token: tokens.otherReplica });
    expect(await take(other)).toMatchObject({ granted: false, holder: 'replica-1', epoch: granted.epoch });
    expect(await take(other, true)).toMatchObject({ granted: true, epoch: granted.epoch + 1 });
    await other.close();
  });
});
