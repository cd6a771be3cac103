import { SyscallError } from '../../protocol/errors.ts';
import { CONTROL_DOC, SEAL } from '../../state/control.ts';
import { EPOCHS_DOC } from '../../state/seal.ts';
import { SYSTEM_DOC, type SystemTables } from '../../state/system.ts';
import type { Clock } from '../../std/clock.ts';
import type { Random } from '../../std/random.ts';
import type { Documents } from '../documents.ts';
import { soon } from '../proc/hold.ts';
import type { Replication } from '../sync/replication.ts';
import { sealedDocuments } from './all-documents.ts';
import { EpochBoxes } from './epoch-boxes.ts';
import { Keyring } from './keyring.ts';
import type { Keys } from './keys.ts';

export type StartParts = {
  tables: SystemTables;
  keys: Keys;
  random: Random;
  clock: Clock;
  /** This replica's id. */
  self: string;
  documents: Documents;
  replication: Replication;
  /** Does something that one replica at a time may do; false when it could not be done now. */
  during(work: () => Promise<void>): Promise<boolean>;
  flush(): Promise<void>;
};

/**
 * Seals a GSV that was not. Its browsers, this one too, take the key out of boxes that the room has before it knows that
 * it is sealed; boxes for another GSV's id, of an attempt that was cut off, mean nothing. What is to be done after that,
 * the `Resealer` does.
 */
export class Start {
  readonly #parts: StartParts;

  constructor(parts: StartParts) {
    this.#parts = parts;
  }

  /** Resolves with the GSV's id. Throws 409 when it is sealed, 503 when the server, or one of its documents, cannot be reached. */
  async start(): Promise<string> {
    const { tables, keys, replication, during } = this.#parts;
    if (keys.keyring || tables.seal.get(SEAL)) throw new SyscallError(409, 'This GSV is sealed already');
    if (!replication.joined) return this.#alone();
    let gsvId = '';
    const begin = async (): Promise<void> => {
      gsvId = await this.#together();
    };
    if (!(await during(begin))) throw away();
    return gsvId;
  }

  async #alone(): Promise<string> {
    const { tables, keys, random, clock, flush } = this.#parts;
    const keyring = Keyring.make(random);
    await keys.set(keyring);
    tables.seal.put(SEAL, { gsvId: keyring.gsvId, since: clock.now() });
    await flush();
    return keyring.gsvId;
  }

  /** Under the seat. */
  async #together(): Promise<string> {
    const { tables, random, clock, self, flush } = this.#parts;
    await this.#fetchAll();
    if (tables.seal.get(SEAL)) throw new SyscallError(409, 'This GSV is sealed already');
    const keyring = Keyring.make(random);
    await this.#announce(keyring);
    for (const { replicaId } of tables.shutOut.rows())
      tables.shutOut.patch(replicaId, { since: keyring.epoch });
    tables.seal.put(SEAL, { gsvId: keyring.gsvId, since: clock.now(), moving: self });
    await flush();
    return keyring.gsvId;
  }

  /** Whoever learns that the GSV is sealed finds its key at the server, also when this browser is lost in between. */
  async #announce(keyring: Keyring): Promise<void> {
    const { replication, clock, flush } = this.#parts;
    await new EpochBoxes(this.#parts).announce(keyring);
    await flush();
    if (!(await soon(clock, (signal) => replication.stored([EPOCHS_DOC], signal)))) throw away();
  }

  /** Afterwards nobody can read at the room what is not here. */
  async #fetchAll(): Promise<void> {
    const { documents, replication, clock } = this.#parts;
    const fetched = (name: string) => soon(clock, (signal) => replication.synced(name, signal));
    for (const name of [CONTROL_DOC, SYSTEM_DOC]) if (!(await fetched(name))) throw away();
    for (const name of await sealedDocuments(documents)) {
      await documents.open(name);
      const isHere = await fetched(name);
      await documents.close(name);
      if (!isHere) throw away();
    }
  }
}

function away(): SyscallError {
  return new SyscallError(503, 'Sealing needs the server, which cannot be reached now', { retryable: true });
}
