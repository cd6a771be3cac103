import type { DiskLock } from '../../../shared/kernel/ports/disk-lock.ts';
import { systemClock, systemRandom } from '../platform.ts';
import { openBackedUp, removeBackups } from './backup.ts';
import { type Database, openDatabase } from './database.ts';
import { DexieBlobs } from './dexie-blobs.ts';
import { DexieCopies } from './dexie-copies.ts';
import { DexieDocs } from './dexie-docs.ts';
import { DISK_KEY, DiskKeeper } from './disk-keeper.ts';
import { Reserve } from './reserve.ts';
import { sealRest } from './seal-rest.ts';
import { SealedVault } from './sealed-vault.ts';

/** What has to be read before the key of the disk is there. */
const KEPT_BY_BROWSER: ReadonlySet<string> = new Set([DISK_KEY]);

/** All that this browser stores, which may wait for a password. */
export class Disk {
  readonly #database: Database;
  readonly #keeper: DiskKeeper;
  readonly #reserve: Reserve;

  private constructor(database: Database, keeper: DiskKeeper) {
    this.#database = database;
    this.#keeper = keeper;
    this.#reserve = new Reserve(database, systemRandom, systemClock);
  }

  /** Brings what is stored up to date. Rejects with what a person can do when it cannot be opened. */
  static async open(): Promise<Disk> {
    const database = await openBackedUp(openDatabase(), systemClock.now());
    return new Disk(database, await DiskKeeper.load(new SealedVault(database), systemRandom));
  }

  get locked(): boolean {
    return this.#keeper.locked;
  }

  /** Whether the password was right. */
  unlock(password: string): Promise<boolean> {
    return this.#keeper.unlock(password);
  }

  /** What a kernel stores, in terms of its ports; `again` ends it, for another one. Rejects while it is locked. */
  async ports(again: () => void) {
    const [database, key] = [this.#database, await this.#keeper.key()];
    return {
      docs: new DexieDocs(database, systemClock, key, this.#reserve),
      blobs: new DexieBlobs(database, key),
      vault: new SealedVault(database, key),
      copies: new DexieCopies(database.name, systemClock, key, again),
    };
  }

  /** `lock` is called when a kernel is to forget the key. */
  lockedBy(lock: () => void): DiskLock {
    const keeper = this.#keeper;
    return {
      get state() {
        return keeper.state;
      },
      // What an older version stored would not be behind the password.
      protect: async (password, afterMinutes) => {
        await this.#sealRest();
        await keeper.protect(password, afterMinutes);
      },
      unprotect: () => keeper.unprotect(),
      lockAfter: (minutes) => keeper.lockAfter(minutes),
      lock: async () => lock(),
    };
  }

  /** In the background: keeps some room in reserve, and seals what an older version stored. */
  tend(): void {
    this.#reserve.keep();
    // On a full disk it goes on at the next start.
    void this.#sealRest(true).catch(() => {});
  }

  /** Removes everything, copies too. */
  async erase(): Promise<void> {
    await this.#database.delete();
    await removeBackups(this.#database.name);
  }

  close(): void {
    this.#database.close();
  }

  async #sealRest(slowly = false): Promise<void> {
    const clock = slowly ? systemClock : undefined;
    await sealRest(this.#database, await this.#keeper.key(), KEPT_BY_BROWSER, clock);
  }
}
