import { SyscallError } from '../../protocol/errors.ts';
import { SEAL } from '../../state/control.ts';
import { EPOCHS_DOC } from '../../state/seal.ts';
import { SYSTEM_DOC, type SystemTables } from '../../state/system.ts';
import { toBase64Url } from '../../std/bytes.ts';
import type { Clock } from '../../std/clock.ts';
import type { Random } from '../../std/random.ts';
import type { Vault } from '../ports/vault.ts';
import { type RoomDocuments, soon } from '../proc/hold.ts';
import { EpochBoxes, type NextKeys } from '../seal/epoch-boxes.ts';
import type { Keyring } from '../seal/keyring.ts';
import type { Keys } from '../seal/keys.ts';
import { ownBoxKey } from '../seal/own-box-key.ts';
import type { BoxKey } from '../seal/sealed-box.ts';

/** What could not be done for want of a server or of the seat is tried again after this long, and at each change. */
const RETRY_MS = 15_000;

export type EpochsParts = {
  tables: SystemTables;
  keys: Keys;
  vault: Vault;
  random: Random;
  clock: Clock;
  /** This replica's id. */
  self: string;
  room: RoomDocuments;
  /** Does something that one replica at a time may do; false when it could not be done now. */
  during(work: () => Promise<void>): Promise<boolean>;
  /** Whether this browser is in a GSV, and was not shut out of it. */
  founded(): boolean;
  /** Takes everything that is here as not confirmed by the room. */
  sendAgain(): Promise<void>;
  flush(): Promise<void>;
};

/**
 * Keeps the keys of all browsers the same: takes those that others made, gives those that others lack, and makes a new
 * one once a browser was shut out. Invariant: a new key is used only when the server has stored the boxes that hold it
 * and none of another; so there is one key of an epoch.
 */
export class Epochs {
  readonly #parts: EpochsParts;
  readonly #boxes: EpochBoxes;
  #again = false;
  #going = false;
  #stopped = false;
  #stopFollowing: (() => void)[] = [];
  #rotating: Promise<number> | null = null;
  #box: Promise<BoxKey> | null = null;
  #cancelRetry: () => void = () => {};

  constructor(parts: EpochsParts) {
    this.#parts = parts;
    this.#boxes = new EpochBoxes(parts);
  }

  start(): void {
    const { tables, keys } = this.#parts;
    const look = (): void => this.look();
    this.#stopFollowing = [
      tables.members.observe(look),
      tables.shutOut.observe(look),
      tables.epochs.observe(look),
      tables.seal.observe(look),
      tables.recovery.observe(look),
      keys.onChange(look),
    ];
    look();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelRetry();
    for (const stop of this.#stopFollowing) stop();
  }

  /** Something may be to be done: a key to be taken, given or made. */
  look(): void {
    this.#again = true;
    if (!this.#going && !this.#stopped) void this.#lookWhileNeeded();
  }

  /** Makes a new key. Resolves to its epoch. Throws 409 in a GSV that is not sealed, 503 when others cannot be told of it. */
  rotate(): Promise<number> {
    this.#rotating ??= this.#rotate().finally(() => {
      this.#rotating = null;
    });
    return this.#rotating;
  }

  async #rotate(): Promise<number> {
    const { keys, room, during } = this.#parts;
    if (!keys.keyring) throw new SyscallError(409, 'This GSV is not sealed: it has no keys');
    const before = keys.keyring.epoch;
    if (!room.joined) await this.#rotateAlone();
    else if (!(await during(() => this.#rotateTogether(before)))) throw away();
    return keys.keyring.epoch;
  }

  async #lookWhileNeeded(): Promise<void> {
    this.#going = true;
    this.#cancelRetry();
    while (this.#again && !this.#stopped) {
      this.#again = false;
      await this.#lookOnce().catch(() => {
        this.#cancelRetry();
        this.#cancelRetry = this.#parts.clock.after(RETRY_MS, () => this.look());
      });
    }
    this.#going = false;
  }

  async #lookOnce(): Promise<void> {
    const { keys, room, founded } = this.#parts;
    if (!founded() || !(room.joined || keys.keyring)) return;
    if (!keys.keyring) await this.#begin();
    await this.#follow();
    await this.#keepMember();
    if (!keys.keyring || (room.joined && !room.connected)) return;
    if (room.joined) {
      // What others wrote since may be under the key that is to be taken here.
      await this.#caughtUp(EPOCHS_DOC);
      await this.#follow();
      await this.#finish();
      await this.#caughtUp(SYSTEM_DOC);
    }
    const { keyring } = keys;
    for (let epoch = 1; epoch <= keyring.epoch; epoch += 1) await this.#boxes.give(keyring, epoch);
    if (this.#isNeeded()) await this.rotate();
  }

  /** Whether somebody was shut out who has the newest key. */
  #isNeeded(): boolean {
    return this.#parts.tables.shutOut.rows().some(({ since }) => since === undefined);
  }

  /** A kill, or a cut, may have come between the boxes of a key and its use. */
  async #finish(): Promise<void> {
    const { keyring } = this.#parts.keys;
    if (keyring && (await this.#next(keyring)).some(({ own }) => own)) await this.#adopt(keyring);
  }

  async #next(keyring: Keyring): Promise<NextKeys[]> {
    return this.#boxes.next(keyring, await this.#ownBox(), this.#parts.self);
  }

  #ownBox(): Promise<BoxKey> {
    const { vault, random } = this.#parts;
    this.#box ??= ownBoxKey(vault, random).catch((thrown) => {
      this.#box = null;
      throw thrown;
    });
    return this.#box;
  }

  /** The GSV was sealed after this browser came to it: all that is here goes to the server again, now unreadable. */
  async #begin(): Promise<void> {
    const { tables, keys, flush, sendAgain } = this.#parts;
    const { gsvId } = tables.seal.get(SEAL) ?? {};
    const keyring = gsvId ? await this.#boxes.first(gsvId, await this.#ownBox()) : null;
    if (!keyring) return;
    await sendAgain();
    await flush();
    await keys.set(keyring);
  }

  /** Takes what others have made, however many new keys that are. */
  async #follow(): Promise<void> {
    const { keys, flush } = this.#parts;
    for (;;) {
      const { keyring } = keys;
      const found = keyring ? await this.#next(keyring) : [];
      const [first, other] = found;
      if (!keyring || !first) return;
      if (other) {
        // What somebody else made while this replica was cut off came first: it had the seat, and did not see this one.
        if (found.some(({ own }) => own)) this.#boxes.withdraw(keyring.epoch + 1);
        return flush();
      }
      if (first.own) return;
      await keys.set(first.keyring);
    }
  }

  /** Says who this is and which key it has. */
  async #keepMember(): Promise<void> {
    const { tables, keys, self, flush } = this.#parts;
    const publicKey = toBase64Url((await this.#ownBox()).public);
    const epoch = keys.keyring?.epoch ?? 0;
    const row = tables.members.get(self);
    if (row?.epoch === epoch && row.publicKey === publicKey) return;
    tables.members.put(self, { replicaId: self, publicKey, epoch });
    await flush();
  }

  async #rotateAlone(): Promise<void> {
    const { keys, random } = this.#parts;
    if (keys.keyring) await keys.set(keys.keyring.rotated(random));
    await this.#settle();
  }

  /** Under the seat. `before`: the epoch that whoever wants a new key knew of. */
  async #rotateTogether(before: number): Promise<void> {
    const { keys, random, flush } = this.#parts;
    await this.#caughtUp(EPOCHS_DOC);
    await this.#follow();
    await this.#finish();
    await this.#caughtUp(SYSTEM_DOC);
    const { keyring } = keys;
    if (!keyring) throw away();
    // Others may have done it meanwhile, for the same reason.
    if (keyring.epoch > before && !this.#isNeeded()) return;
    const next = keyring.rotated(random);
    await this.#boxes.announce(next);
    await flush();
    await this.#adopt(keyring);
    await this.#settle();
  }

  /**
   * Once the server has stored the boxes, whoever makes a key after that has seen them; and who had stored other ones
   * before is seen here.
   */
  async #adopt(keyring: Keyring): Promise<void> {
    const { keys, room, clock } = this.#parts;
    if (!(await soon(clock, (signal) => room.stored([EPOCHS_DOC], signal)))) throw away();
    const [next, other] = await this.#next(keyring);
    if (!next || other) throw away();
    await keys.set(next.keyring);
  }

  /** Whoever was shut out has no key from this epoch on. */
  async #settle(): Promise<void> {
    const { tables, keys, flush } = this.#parts;
    const since = keys.keyring?.epoch;
    if (since === undefined) return;
    for (const row of tables.shutOut.rows()) {
      if (row.since === undefined) tables.shutOut.patch(row.replicaId, { since });
    }
    await flush();
  }

  async #caughtUp(name: string): Promise<void> {
    const { room, clock } = this.#parts;
    if (!(await soon(clock, (signal) => room.synced(name, signal)))) throw away();
  }
}

function away(): SyscallError {
  return new SyscallError(503, 'New keys need the server, which cannot be reached now', { retryable: true });
}
