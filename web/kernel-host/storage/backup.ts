import { Dexie, type Table } from 'dexie';
import { ROOM_SECRETS } from '../../../shared/kernel/sync/room-secrets.ts';

/** A copy that nobody needed is deleted after so long. */
const KEEP_MS = 30 * 24 * 60 * 60 * 1000;
/** What is held in memory at once, and one row. */
const BATCH_BYTES = 8 * 1024 * 1024;
const BATCH_ROWS = 1000;
/** The table of a copy that says, once it is whole, what it is a copy of. */
const MARK = 'backup';

/**
 * A whole copy of a database as it was before a migration, or, with `returning`, before somebody went back to another
 * copy. `createdAt` in milliseconds since the epoch; `bytes` is about what its rows take, and is not there in copies of
 * older versions.
 */
export type Backup = {
  name: string;
  of: string;
  version: number;
  createdAt: number;
  rows: number;
  bytes?: number;
  returning?: true;
  /** It is to be the database from the next start on; if it cannot be, the copy named here is. */
  wanted?: { instead: string };
  /** When it last became the database, or could not. */
  restored?: { at: number; done: boolean };
};

/**
 * Opens a database. When it was stored by an older version of this program and holds anything, all of it is copied
 * first to `<name>-backup-<version>-<date>`; only then is it migrated. The copy is kept until the next migration has
 * succeeded, or for 30 days. Nobody else may write to the database meanwhile: there is one kernel per origin.
 *
 * Rejects with what a person can do when the copy cannot be made; then the database is as it was, and not open.
 *
 * A copy that is `wanted` becomes the database first; then it is brought up to date again.
 */
export async function openBackedUp<Opened extends Dexie>(database: Opened, now: number): Promise<Opened> {
  // What was restored has its copy already.
  const restored = await restoreWanted(database.name, now);
  const copied = restored ?? (await backUp(database.name, database.verno, now));
  try {
    await database.open();
  } catch (thrown) {
    if (copied === null) throw thrown;
    throw new Error(
      `GSV could not bring its data up to date (${nameOf(thrown)}). The data is as it was, and a copy is kept as ${copied}.`,
    );
  }
  await tidy(database.name, restored ? null : copied, now).catch(() => {});
  return database;
}

/** Whole copies of a database, the newest first. */
export async function listBackups(of: string): Promise<Backup[]> {
  const backups: Backup[] = [];
  for (const name of await copiesOf(of)) {
    const mark = await withStored(name, (copy) => copy.table<Backup>(MARK).get(of)).catch(() => undefined);
    if (mark) backups.push(mark);
  }
  return backups.sort((a, b) => b.createdAt - a.createdAt);
}

/** Copies a database that is open and in use. Whatever is written meanwhile may be in the copy or not. */
export async function copyNow(of: string, now: number): Promise<Backup> {
  return withStored(of, async (stored) => {
    const [date, time = ''] = new Date(now).toISOString().split('T');
    const name = `${copyPrefix(of)}${stored.verno}-${time.replaceAll(/\D/g, '')}-${date}`;
    return copyTo(name, stored, now, { returning: true }).catch(async (thrown) => {
      await Dexie.delete(name).catch(() => {});
      throw notKept(thrown);
    });
  });
}

/** From the next start on a copy is the database. `instead` is the one that is, should that fail. */
export async function want({ name, of }: Pick<Backup, 'name' | 'of'>, instead: string): Promise<void> {
  await mark(name, of, { wanted: { instead } });
}

/** The name of the copy that the database was made of; null when none was wanted. */
async function restoreWanted(of: string, now: number): Promise<string | null> {
  const backup = (await listBackups(of)).find(({ wanted }) => wanted !== undefined);
  if (!backup?.wanted) return null;
  const { name, wanted } = backup;
  const done = await restoreBackup({ name, of }).then(
    () => true,
    () => restoreBackup({ name: wanted.instead, of }).then(() => false),
  );
  await mark(name, of, { wanted: undefined, restored: { at: now, done } });
  return done ? name : wanted.instead;
}

/** Changes what is said of a copy. */
async function mark(name: string, of: string, change: Partial<Backup>): Promise<void> {
  await withStored(name, (copy) => copy.table<Backup>(MARK).update(of, change));
}

/**
 * Makes a copy the database again, without what ties it to a server: what the server and other browsers have since would
 * come over it. What the database holds now is gone, the copy stays. Broken off, it is to be
 * called again. Rejects when there is no such whole copy; then nothing is changed.
 */
export async function restoreBackup({ name, of }: Pick<Backup, 'name' | 'of'>): Promise<void> {
  await withStored(name, async (copy) => {
    const mark = await copy.table<Backup>(MARK).get(of);
    if (!mark) throw new Error(`${name} is not a whole copy of ${of}`);
    await Dexie.delete(of);
    await fill(of, copy, {});
  });
  await withStored(of, (database) => database.table('secrets').bulkDelete([...ROOM_SECRETS]));
}

/** The copy's name, or null when none is needed. */
async function backUp(name: string, version: number, now: number): Promise<string | null> {
  if (!(await Dexie.exists(name))) return null;
  return withStored(name, async (stored) => {
    if (stored.verno >= version || !(await holdsAnything(stored))) return null;
    const copy = `${copyPrefix(name)}${stored.verno}-${new Date(now).toISOString().slice(0, 10)}`;
    try {
      await copyTo(copy, stored, now).catch(async (thrown) => {
        if (!isQuota(thrown)) throw thrown;
        // What an earlier migration left is the first to make room.
        await removeAll(await copiesOf(name));
        await copyTo(copy, stored, now);
      });
    } catch (thrown) {
      await Dexie.delete(copy).catch(() => {});
      throw notCopied(thrown);
    }
    return copy;
  });
}

async function copyTo(
  name: string,
  stored: Dexie,
  createdAt: number,
  why: Pick<Backup, 'returning'> = {},
): Promise<Backup> {
  await Dexie.delete(name);
  const about = { name, of: stored.name, version: stored.verno, createdAt, ...why };
  return { ...about, ...(await fill(name, stored, { mark: about })) };
}

/** Creates a database with the tables and rows of another; with `mark`, it is told last what it is. */
async function fill(
  name: string,
  from: Dexie,
  { mark }: { mark?: Omit<Backup, 'rows' | 'bytes'> },
): Promise<{ rows: number; bytes: number }> {
  const tables = from.tables.filter((table) => table.name !== MARK);
  const into = new Dexie(name, { chromeTransactionDurability: 'strict' });
  const schemas = Object.fromEntries(tables.map((table) => [table.name, schemaOf(table)]));
  into.version(from.verno).stores(mark ? { ...schemas, [MARK]: 'of' } : schemas);
  try {
    const copied = { rows: 0, bytes: 0 };
    for (const table of tables) {
      const { rows, bytes } = await copyTable(table, into.table(table.name));
      copied.rows += rows;
      copied.bytes += bytes;
    }
    if (mark) await into.table(MARK).add({ ...mark, ...copied });
    return copied;
  } finally {
    into.close();
  }
}

/** Copies rows in batches, in the order of their keys. Returns how many. Keys are fields of their rows. */
async function copyTable(from: Table, into: Table): Promise<{ rows: number; bytes: number }> {
  const { keyPath } = from.schema.primKey;
  const copied = { rows: 0, bytes: 0 };
  for (let last: unknown; ; ) {
    let bytes = 0;
    const rest = last === undefined ? from.orderBy(':id') : from.where(':id').above(last);
    const isEnough = (row: object): boolean => {
      bytes += sizeOf(row);
      return bytes >= BATCH_BYTES;
    };
    const rows: object[] = await rest.limit(BATCH_ROWS).until(isEnough, true).toArray();
    const final = rows.at(-1);
    if (final === undefined) return copied;
    await into.bulkAdd(rows);
    copied.rows += rows.length;
    for (const row of rows) copied.bytes += sizeOf(row);
    last = Dexie.getByKeyPath(final, String(keyPath));
  }
}

/** Removes one copy; nothing when there is none. */
export async function removeBackup(name: string, of: string): Promise<void> {
  await removeAll((await copiesOf(of)).filter((copy) => copy === name));
}

/** Removes all copies of a database, also those that were broken off. */
export async function removeBackups(of: string): Promise<void> {
  await removeAll(await copiesOf(of));
}

function schemaOf({ schema }: Table): string {
  return [schema.primKey, ...schema.indexes].map(({ src }) => src).join(', ');
}

/** About how many bytes a row takes in memory. */
function sizeOf(row: object): number {
  return Object.values(row).reduce((total: number, value) => {
    if (typeof value === 'string') return total + 2 * value.length;
    const bytes = value instanceof ArrayBuffer || ArrayBuffer.isView(value) ? value.byteLength : 0;
    return total + bytes + 8;
  }, 0);
}

async function holdsAnything(stored: Dexie): Promise<boolean> {
  for (const table of stored.tables) if ((await table.limit(1).count()) > 0) return true;
  return false;
}

/** Opens a database as it is stored, whatever its version, and closes it again. */
async function withStored<T>(name: string, use: (stored: Dexie) => Promise<T>): Promise<T> {
  const stored = await new Dexie(name).open();
  try {
    return await use(stored);
  } finally {
    stored.close();
  }
}

function notCopied(thrown: unknown): Error {
  const newer = 'This GSV is newer than its data';
  return new Error(
    isQuota(thrown)
      ? `${newer}, and this device has no space to copy the data before bringing it up to date. Free as much space as GSV takes, then open it again. Nothing was changed.`
      : `${newer}, and the data could not be copied before bringing it up to date (${nameOf(thrown)}). Close other pages of GSV, then open it again. Nothing was changed.`,
  );
}

function notKept(thrown: unknown): Error {
  return new Error(
    isQuota(thrown)
      ? 'This device has no space to keep what is here now beside it. Free as much space as GSV takes, or remove copies that you do not need. Nothing was changed.'
      : `What is here now could not be copied first (${nameOf(thrown)}). Nothing was changed.`,
  );
}

function isQuota(thrown: unknown): boolean {
  return nameOf(thrown) === 'QuotaExceededError';
}

/** Dexie wraps the browser's errors. */
function nameOf(thrown: unknown): string {
  const { name, inner } = (thrown ?? {}) as { name?: string; inner?: { name?: string } };
  return inner?.name ?? name ?? 'unknown error';
}

/** Deletes copies that an own one has replaced, or that are older than they are kept. */
async function tidy(of: string, latest: string | null, now: number): Promise<void> {
  const copies = await copiesOf(of);
  if (latest !== null) return removeAll(copies.filter((name) => name !== latest));
  await removeAll(copies.filter((name) => Date.parse(name.slice(-'2000-01-01'.length)) < now - KEEP_MS));
}

async function removeAll(names: readonly string[]): Promise<void> {
  for (const name of names) await Dexie.delete(name);
}

async function copiesOf(name: string): Promise<string[]> {
  return (await Dexie.getDatabaseNames()).filter((other) => other.startsWith(copyPrefix(name)));
}

function copyPrefix(name: string): string {
  return `${name}-backup-`;
}
