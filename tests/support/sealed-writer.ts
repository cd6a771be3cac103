import { NO_HASH, type WriterHead } from '../../shared/kernel/seal/entry.ts';
import { EntryCipher, type WrittenEntry } from '../../shared/kernel/seal/entry-cipher.ts';
import { Heads } from '../../shared/kernel/seal/heads.ts';
import { Keyring } from '../../shared/kernel/seal/keyring.ts';
import { LogWriter } from '../../shared/kernel/seal/log-writer.ts';
import { writerOf } from '../../shared/kernel/seal/writer.ts';
import { SeededRandom } from './seeded-random.ts';

/** Writes entries whose contents are of no importance. */
export function sealedWriter(id: string, seed = id) {
  const random = new SeededRandom(seed);
  const writer = writerOf(id);
  const keyring = Keyring.make(random);
  const log = new LogWriter(new EntryCipher(() => keyring, 'scratch', random), writer);
  let head: WriterHead = { writer, n: 0, hash: NO_HASH };
  return {
    get head() {
      return head;
    },
    entry: async (): Promise<WrittenEntry> => {
      const { n, hash, bytes } = await log.entry(random.bytes(40), new Heads());
      head = { writer, n, hash };
      return { hash, bytes: bytes.slice() as Uint8Array<ArrayBuffer> };
    },
    snapshot: (heads: readonly WriterHead[]): Promise<WrittenEntry> =>
      log.snapshot(random.bytes(100), new Heads(heads)),
  };
}
