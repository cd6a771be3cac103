import { randomBytes } from 'node:crypto';
import { Keyring } from '../../../shared/kernel/seal/keyring.ts';
import { RoomBlobs } from '../../../shared/kernel/sync/room-blobs.ts';
import { CLEAR_FORMS, sealedForms } from '../../../shared/kernel/sync/room-form.ts';
import type { Peer } from '../../../shared/protocol/peer.ts';
import { sha256Hex } from '../../../shared/std/bytes.ts';
import { claimRoom } from '../../support/claimed-room.ts';
import { realRandom } from '../../support/platform.ts';
import { startServer } from '../../support/server.ts';
import { paired, type Row, rowOf } from '../row.ts';
import { type BenchSite, distDir } from '../site.ts';

const RUNS = 9;
const BLOB_BYTES = 50 * 1024 * 1024;
/** At least 0.7 of the rate. */
const BUDGET = 1 / 0.7;

/** A blob to a room and back, sealed and checked at both ends, against one that the room may read. */
export async function sealedBlob(_site: BenchSite): Promise<Row[]> {
  const server = await startServer({ distDir });
  try {
    const { peer } = (await claimRoom(server)).replica;
    const sealed = new RoomBlobs(sealedForms(Keyring.make(realRandom)));
    const clear = new RoomBlobs(CLEAR_FORMS);
    const pairs = await paired(
      RUNS,
      () => upAndDown(peer, sealed),
      () => upAndDown(peer, clear),
    );
    const name = 'a blob of 50 MB, sealed, to the room and back';
    return [rowOf({ name, peer: 'unsealed', unit: 'ms', budget: BUDGET }, pairs)];
  } finally {
    await server.stop();
  }
}

/** Milliseconds of a blob that the room does not know. */
async function upAndDown(peer: Peer, blobs: RoomBlobs): Promise<number> {
  const bytes = new Uint8Array(randomBytes(BLOB_BYTES));
  const hash = await sha256Hex(bytes);
  const started = performance.now();
  const [missing] = await blobs.missing(peer, [hash]);
  if (!missing) throw new Error('The room has bytes that were made a moment ago');
  await blobs.send(peer, missing, bytes);
  const got = await (await blobs.download(hash)).over(peer);
  const took = performance.now() - started;
  if (got.length !== bytes.length) throw new Error('Other bytes came back');
  await blobs.removeAll(peer, [hash]);
  return took;
}
