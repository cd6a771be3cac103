import type { Keyring } from '../../shared/kernel/seal/keyring.ts';
import { settle } from './passing.ts';
import { ReachableRoom, TestReplica } from './replicas.ts';
import { sampleBytes } from './sample-bytes.ts';

/** What a file holds. */
export const content = (seed: number, length = 50_000): Uint8Array<ArrayBuffer> => sampleBytes(length, seed);

/** Two replicas of one room, connected, of which everything is there. `cap`: of what each keeps of blobs. */
export async function replicaPair(options: { cap?: number; keyring?: Keyring } = {}) {
  const room = await ReachableRoom.open();
  const one = await TestReplica.boot(room, 'replica-2', options);
  const two = await TestReplica.boot(room, 'replica-3', options);
  const online = () => settle(room.clock, () => one.link.online && two.link.online, 'being online');
  const confirmed = () => settle(room.clock, () => one.waiting + two.waiting === 0, 'confirmation');
  /** Stores a blob on the first replica as a file does. */
  const put = async (seed: number, length?: number): Promise<string> => {
    const hash = await one.blobs.put(content(seed, length));
    for (const replica of [one, two]) replica.references.hashes.add(hash);
    return hash;
  };
  await online();
  await confirmed();
  return { room, one, two, online, confirmed, put };
}
