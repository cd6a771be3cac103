import { SEAL } from '../../state/control.ts';
import type { SystemTables } from '../../state/system.ts';
import type { Handlers } from '../handler.ts';
import type { BlobSync } from '../sync/blob-sync.ts';
import type { Epochs } from '../sync/epochs.ts';
import { demandOwner } from '../sync/owner.ts';
import type { Replication } from '../sync/replication.ts';
import type { Resealer } from '../sync/resealer.ts';
import { CONTENTS } from './document-words.ts';
import type { Keys } from './keys.ts';
import type { Recovery } from './recovery.ts';
import type { Start } from './start.ts';

export type SealParts = {
  tables: SystemTables;
  keys: Keys;
  recovery: Recovery;
  epochs: Epochs;
  sealing: Start;
  resealer: Resealer;
  replication: Pick<Replication, 'faults'>;
  blobs: Pick<BlobSync, 'faults' | 'sendAgain'>;
  /** Has the room hold what is here of a sealed document. Rejects as `repairLog`. */
  repairLog(name: string): Promise<void>;
};

type SealSyscall =
  | 'sys.seal.get'
  | 'sys.seal.phrase.make'
  | 'sys.seal.phrase.keep'
  | 'sys.seal.repair'
  | 'sys.seal.rotate'
  | 'sys.seal.start';

/** `sys.seal.*`: the keys of this GSV. The owner's alone: whoever has them reads everything. */
export function sealHandlers(parts: SealParts): Handlers<SealSyscall> {
  const { tables, keys, recovery, epochs, sealing, resealer, replication, blobs } = parts;
  return {
    'sys.seal.get': async (_args, { caller }) => {
      demandOwner(caller.identity);
      const { keyring } = keys;
      return {
        sealed: keyring !== null,
        gsvId: keyring?.gsvId ?? null,
        epoch: keyring?.epoch ?? 0,
        since: tables.seal.get(SEAL)?.since ?? null,
        phrase: recovery.state,
        resealing: resealer.progress,
        faults: [...replication.faults.list(), ...blobs.faults.list()],
      };
    },
    'sys.seal.phrase.make': async (_args, { caller }) => {
      demandOwner(caller.identity);
      return { words: [...(await recovery.make(caller.identity.uid))] };
    },
    'sys.seal.phrase.keep': async ({ words }, { caller }) => {
      demandOwner(caller.identity);
      await recovery.keep(words);
      return {};
    },
    'sys.seal.repair': async ({ name }, { caller }) => {
      demandOwner(caller.identity);
      await (name === CONTENTS ? parts.blobs.sendAgain() : parts.repairLog(name));
      return {};
    },
    'sys.seal.rotate': async (_args, { caller }) => {
      demandOwner(caller.identity);
      return { epoch: await epochs.rotate() };
    },
    'sys.seal.start': async (_args, { caller }) => {
      demandOwner(caller.identity);
      return { gsvId: await sealing.start() };
    },
  };
}
