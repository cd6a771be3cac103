import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as Y from 'yjs';
import { streamOf } from '../../shared/protocol/streams.ts';
import { SEAL } from '../../shared/state/control.ts';
import { sha256Hex } from '../../shared/std/bytes.ts';
import { claimRoom } from '../support/claimed-room.ts';
import { filesWith } from '../support/find-secret.ts';
import { startServer, type TestServer } from '../support/server.ts';

const PLANTED = 'planted-in-the-clear';
/** The room has replaced them by a snapshot once. */
const UPDATES = 450;

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

test('[R180] of what a room could read before its GSV was sealed nothing is left on its disk, of replaced updates neither', async () => {
  const room = await claimRoom(server);
  const doc = new Y.Doc();
  const sync = await room.replica.sync('conversation:planted', doc);
  for (let n = 0; n < UPDATES; n += 1) {
    doc.getMap('rows').set(`${n % 7}`, `${PLANTED} ${n} ${randomBytes(20 * (n % 90)).toString('hex')}`);
    if (n % 10 === 0) await sync.settled();
  }
  await sync.settled();
  const bytes = new TextEncoder().encode(`${PLANTED} ${randomBytes(700_000).toString('hex')}`);
  const hash = await sha256Hex(bytes);
  await room.replica.call('blob.put', { hash, size: bytes.length, offset: 0 }, { stream: streamOf(bytes) });
  expect(filesWith(server.dataDir, PLANTED)).not.toEqual([]);

  await room.replica.call('blob.release', { hashes: [hash], now: true });
  await room.change((tables) => tables.seal.put(SEAL, { gsvId: 'a', since: 1, moving: 'replica-1' }));
  await room.replica.call('doc.clear', {});
  expect(filesWith(server.dataDir, PLANTED)).toEqual([]);
});
