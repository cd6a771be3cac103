import { Dexie } from 'dexie';
import type { Copies, Copy } from '../../../shared/kernel/ports/copies.ts';
import type { Clock } from '../../../shared/std/clock.ts';
import { listBackups, removeBackup } from './backup.ts';
import type { Database } from './database.ts';
import { DexieBlobs } from './dexie-blobs.ts';
import { DexieDocs } from './dexie-docs.ts';
import type { DiskKey } from './disk-key.ts';

/** The copies of a database that `openBackedUp` made. */
export class DexieCopies implements Copies {
  readonly #of: string;
  readonly #clock: Clock;
  readonly #key: DiskKey;

  constructor(of: string, clock: Clock, key: DiskKey) {
    this.#of = of;
    this.#clock = clock;
    this.#key = key;
  }

  async list(): Promise<Copy[]> {
    const backups = await listBackups(this.#of);
    return backups.map(({ name, version, createdAt, bytes = null }) => ({ name, version, createdAt, bytes }));
  }

  async open(name: string): Promise<{ docs: DexieDocs; blobs: DexieBlobs }> {
    const copies = await this.list();
    if (!copies.some((copy) => copy.name === name)) throw new Error(`${name} is no copy`);
    const database = (await new Dexie(name).open()) as Database;
    // Opened as it is stored, without the names of its tables as fields.
    const [updates, blobs] = [database.table('updates'), database.table('blobs')];
    Object.assign(database, { updates, blobs });
    return {
      docs: new DexieDocs(database, this.#clock, this.#key),
      blobs: new DexieBlobs(database, this.#key),
    };
  }

  async remove(name: string): Promise<void> {
    await removeBackup(name, this.#of);
  }
}
