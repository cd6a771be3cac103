import { Dexie } from 'dexie';
import type { Clock } from '../../../shared/std/clock.ts';
import type { Database, SecretRow, UpdateRow } from './database.ts';
import type { DiskKey } from './disk-key.ts';
import { SealedVault } from './sealed-vault.ts';

const DONE = 'everything is sealed';
/** Rows that are sealed together, and for how long others have their turn then. */
const BATCH_ROWS = 100;
const PAUSE_MS = 50;

/**
 * Seals what was stored before this disk had a key, in steps, while everything goes on; a row that is changed or
 * removed meanwhile stays so. It goes on at the next start when it is broken off. Rejects when the disk refuses it.
 * `except`: names of secrets that stay as they are.
 */
export async function sealRest(
  database: Database,
  key: DiskKey,
  except: ReadonlySet<string>,
  clock?: Clock,
): Promise<void> {
  if (await database.done.get(DONE)) return;
  const pause = (): Promise<void> =>
    clock ? new Promise((resolve) => void clock.after(PAUSE_MS, resolve)) : Promise.resolve();
  await sealSecrets(database, key, except);
  await sealUpdates(database, key, pause);
  await sealBlobs(database, key, pause);
  await database.done.put({ name: DONE });
}

async function sealSecrets(database: Database, key: DiskKey, except: ReadonlySet<string>): Promise<void> {
  const { secrets } = database;
  const vault = new SealedVault(database);
  for (const row of await secrets.filter(({ by }) => by === undefined).toArray()) {
    if (except.has(row.name) || row.by !== undefined) continue;
    const secret = new TextEncoder().encode(await vault.get(row.name));
    const bytes = await key.seal(secret, `secret ${row.name}`);
    const sealed: SecretRow = { name: row.name, by: 'disk', bytes };
    await database.transaction('rw', secrets, async () => {
      const now = await secrets.get(row.name);
      if (now?.by === undefined && now?.iv.join() === row.iv.join()) await secrets.put(sealed);
    });
  }
}

async function sealUpdates(database: Database, key: DiskKey, pause: () => Promise<void>): Promise<void> {
  const { updates } = database;
  for (let last = Dexie.minKey as unknown as number; ; ) {
    const rows = await updates.where('seq').above(last).limit(BATCH_ROWS).toArray();
    const final = rows.at(-1);
    if (!final) return;
    const sealed = await Promise.all(rows.filter((row) => !row.sealed).map((row) => sealedRow(row, key)));
    await database.transaction('rw', updates, async () => {
      for (const { seq, bytes } of sealed) await updates.update(seq, { bytes, sealed: true });
    });
    last = final.seq;
    if (sealed.length > 0) await pause();
  }
}

async function sealedRow(
  { seq, doc, bytes }: UpdateRow,
  key: DiskKey,
): Promise<Pick<UpdateRow, 'seq' | 'bytes'>> {
  return { seq, bytes: await key.seal(bytes, `update ${doc}`) };
}

async function sealBlobs(database: Database, key: DiskKey, pause: () => Promise<void>): Promise<void> {
  const { blobs } = database;
  for (const hash of await blobs.toCollection().primaryKeys()) {
    const row = await blobs.get(hash);
    if (!row || row.sealed) continue;
    await blobs.update(hash, { bytes: await key.seal(row.bytes, `blob ${hash}`), sealed: true });
    await pause();
  }
}
