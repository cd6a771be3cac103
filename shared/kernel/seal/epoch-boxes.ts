import type { EpochRow } from '../../state/seal.ts';
import type { SystemTables } from '../../state/system.ts';
import { fromBase64, fromBase64Url, toBase64 } from '../../std/bytes.ts';
import type { Random } from '../../std/random.ts';
import { Keyring } from './keyring.ts';
import { type BoxKey, sealFor } from './sealed-box.ts';

/** Whom the box for the recovery phrase is addressed to. */
export const RECOVERY = 'recovery';
/** The key of the one row about the phrase. */
export const PHRASE = 'phrase';

export type EpochBoxesParts = {
  tables: Pick<SystemTables, 'members' | 'shutOut' | 'recovery' | 'epochs'>;
  random: Random;
  /** This replica's id. */
  self: string;
};

type Recipient = { to: string; publicKey: string };
/** A keyring that a box continues. `own`: nobody but this replica says that this is the next key. */
export type NextKeys = { keyring: Keyring; own: boolean };

/** The boxes in `epochs` that hold keys of epochs for those who may have them. */
export class EpochBoxes {
  readonly #parts: EpochBoxesParts;

  constructor(parts: EpochBoxesParts) {
    this.#parts = parts;
  }

  /**
   * Puts a box with the newest key for each that may have it and lacks it or its box. Boxes with another key stay: whose
   * it is that counts is not known yet. Rejects when nothing was changed.
   */
  announce(keyring: Keyring): Promise<void> {
    return this.#fill(keyring, keyring.epoch);
  }

  /** As `announce`, of any epoch whose key is in use; boxes with another key, or for others, are removed. */
  async give(keyring: Keyring, epoch: number): Promise<void> {
    const { epochs } = this.#parts.tables;
    await this.#fill(keyring, epoch);
    const print = await keyring.print(epoch);
    const lacking = new Set(this.#lacking(epoch).map(({ to }) => to));
    for (const row of this.#of(epoch)) {
      if (row.print !== print || !lacking.has(row.to)) epochs.delete(keyOf(row));
    }
  }

  async #fill(keyring: Keyring, epoch: number): Promise<void> {
    const { epochs } = this.#parts.tables;
    const print = await keyring.print(epoch);
    const made = await Promise.all(
      this.#lacking(epoch)
        .filter(({ to }) => !this.#of(epoch).some((row) => row.to === to && row.print === print))
        .map((recipient) => this.#box(keyring, epoch, { print, ...recipient })),
    );
    for (const row of made) epochs.put(keyOf(row), row);
  }

  /**
   * The keyrings that boxes of the next epoch make of this one: one, unless several keys were made at the same time. A box
   * that does not open, or that nobody with the newest key made, is none.
   */
  async next(keyring: Keyring, key: BoxKey, to: string): Promise<NextKeys[]> {
    const rows = this.#of(keyring.epoch + 1);
    const found = new Map<string, NextKeys>();
    for (const row of rows.filter((candidate) => candidate.to === to)) {
      const next = await opened(row, keyring, key).catch(() => null);
      if (next === null) continue;
      const print = await next.print(next.epoch);
      const own = rows.every(({ by, print: told }) => told !== print || by === this.#parts.self);
      found.set(print, { keyring: next, own });
    }
    return [...found.values()];
  }

  /** The first key of a GSV that was sealed after it was set up; null while no box of it opens for this one. */
  async first(gsvId: string, key: BoxKey): Promise<Keyring | null> {
    for (const row of this.#of(1).filter(({ to }) => to === this.#parts.self)) {
      const content = await contentOf(row, gsvId, key).catch(() => null);
      if (content !== null) return Keyring.begun(gsvId, content);
    }
    return null;
  }

  /** Takes back the boxes by which this replica alone announced a key. */
  withdraw(epoch: number): void {
    const { tables, self } = this.#parts;
    for (const row of this.#of(epoch)) if (row.by === self) tables.epochs.delete(keyOf(row));
  }

  /** Whoever may have the key of an epoch and has not said that it has it. */
  #lacking(epoch: number): Recipient[] {
    const { members, shutOut, recovery } = this.#parts.tables;
    const browsers = members
      .rows()
      .filter((row) => row.epoch < epoch && !shutOut.get(row.replicaId))
      .map(({ replicaId, publicKey }) => ({ to: replicaId, publicKey }));
    const phrase = recovery.get(PHRASE);
    if (!phrase || phrase.epoch >= epoch) return browsers;
    return [...browsers, { to: RECOVERY, publicKey: phrase.publicKey }];
  }

  async #box(keyring: Keyring, epoch: number, about: Recipient & { print: string }): Promise<EpochRow> {
    const { random, self } = this.#parts;
    const { to, publicKey, print } = about;
    const content = new TextEncoder().encode(await keyring.announcement(epoch));
    const box = await sealFor(
      fromBase64Url(publicKey),
      content as Uint8Array<ArrayBuffer>,
      purposeOf(keyring.gsvId, epoch),
      random,
    );
    return { epoch, by: self, to, box: toBase64(box), print };
  }

  #of(epoch: number): EpochRow[] {
    return this.#parts.tables.epochs.rows().filter((row) => row.epoch === epoch);
  }
}

async function opened(row: EpochRow, keyring: Keyring, key: BoxKey): Promise<Keyring> {
  return keyring.extended(await contentOf(row, keyring.gsvId, key));
}

async function contentOf({ box, epoch }: EpochRow, gsvId: string, key: BoxKey): Promise<string> {
  return new TextDecoder().decode(await key.open(fromBase64(box), purposeOf(gsvId, epoch)));
}

/** What a box of an epoch is for. */
function purposeOf(gsvId: string, epoch: number): string {
  return `epoch ${epoch} of ${gsvId}`;
}

function keyOf({ epoch, by, to }: EpochRow): string {
  return `${epoch}/${by}/${to}`;
}
