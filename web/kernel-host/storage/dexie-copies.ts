import { Dexie } from 'dexie';
import type { Copies, Copy } from '../../../shared/kernel/ports/copies.ts';
import type { Clock } from '../../../shared/std/clock.ts';
import { type Backup, copyNow, listBackups, removeBackup, want } from './backup.ts';
import type { Database } from './database.ts';
import { DexieBlobs } from './dexie-blobs.ts';
import { DexieDocs } from './dexie-docs.ts';
import { DiskKeeper } from './disk-keeper.ts';
import type { DiskKey } from './disk-key.ts';
import { SealedVault } from './sealed-vault.ts';

const copyOf = ({ name, version, createdAt, bytes, returning, restored }: Backup): Copy => ({
  ...{ name, version, createdAt },
  bytes: bytes ?? null,
  returning: returning === true,
  restored: restored ?? null,
});

/** The copies of a database that `openBackedUp` made, and `copyNow`. */
export class DexieCopies implements Copies {
  readonly #of: string;
  readonly #clock: Clock;
  readonly #key: DiskKey;
  readonly #again: () => void;

  /** `again` ends the kernel, and lets another one start. */
  constructor(of: string, clock: Clock, key: DiskKey, again: () => void) {
    this.#of = of;
    this.#clock = clock;
    this.#key = key;
    this.#again = again;
  }

  async list(): Promise<Copy[]> {
    return (await listBackups(this.#of)).map(copyOf);
  }

  async make(): Promise<Copy> {
    return copyOf(await copyNow(this.#of, this.#clock.now()));
  }

  async restore(name: string, instead: string): Promise<void> {
    await want({ name, of: this.#of }, instead);
    this.#again();
  }

  async open(name: string): Promise<{ docs: DexieDocs; blobs: DexieBlobs }> {
    const copies = await this.list();
    if (!copies.some((copy) => copy.name === name)) throw new Error(`${name} is no copy`);
    const database = (await new Dexie(name).open()) as Database;
    // Opened as it is stored, without the names of its tables as fields.
    const [updates, blobs] = [database.table('updates'), database.table('blobs')];
    const [secrets, keys] = [database.table('secrets'), database.table('keys')];
    Object.assign(database, { updates, blobs, secrets, keys });
    // It was sealed by the key of then, which going back may have changed.
    const key = (await DiskKeeper.kept(new SealedVault(database)).catch(() => null)) ?? this.#key;
    return { docs: new DexieDocs(database, this.#clock, key), blobs: new DexieBlobs(database, key) };
  }

  async remove(name: string): Promise<void> {
    await removeBackup(name, this.#of);
  }
}
