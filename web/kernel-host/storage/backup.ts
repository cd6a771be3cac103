import { Dexie, type Table } from 'dexie';

/** A copy that nobody needed is deleted after so long. */
const KEEP_MS = 30 * 24 * 60 * 60 * 1000;
/** What is held in memory at once, and one row. */
const BATCH_BYTES = 8 * 1024 * 1024;
const BATCH_ROWS = 1000;
/** The table of a copy that says, once it is whole, what it is a copy of. */
const MARK = 'backup';

/**
 * A whole copy of a database as it was before a migration. `createdAt` in milliseconds since the epoch; `bytes` is about
 * what its rows take, and is not there in copies of older versions.
 */
export type Backup = {
  name: string;
  of: string;
  version: number;
  createdAt: number;
  rows: number;
  bytes?: number;
};

/**
 * Opens a database. When it was stored by an older version of this program and holds anything, all of it is copied
 * first to `<name>-backup-<version>-<date>`; only then is it migrated. The copy is kept until the next migration has
 * succeeded, or for 30 days. Nobody else may write to the database meanwhile: there is one kernel per origin.
 *
 * Rejects with what a person can do when the copy cannot be made; then the database is as it was, and not open.
 *
 * To go back: close every page of GSV, so that no kernel runs, and call `restoreBackup` with a name that `listBackups`
 * gave. The next start finds the database as it was, of its older version, and will migrate it again; so start the
 * older program, or one in which the migration is repaired.
 */
export async function openBackedUp<Opened extends Dexie>(database: Opened, now: number): Promise<Opened> {
  const copied = await backUp(database.name, database.verno, now);
  try {
    await database.open();
  } catch (thrown) {
    if (copied === null) throw thrown;
    throw new Error(
      `GSV could not bring its data up to date (${nameOf(thrown)}). The data is as it was, and a copy is kept as ${copied}.`,
    );
  }
  await tidy(database.name, copied, now).catch(() => {});
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

/**
 * Makes a copy the database again; what the database holds now is gone. The copy stays. Broken off, it is to be called
 * again. Rejects when there is no such whole copy; then nothing is changed.
 */
export async function restoreBackup({ name, of }: Pick<Backup, 'name' | 'of'>): Promise<void> {
  await withStored(name, async (copy) => {
    const mark = await copy.table<Backup>(MARK).get(of);
    if (!mark) throw new Error(`${name} is not a whole copy of ${of}`);
    await Dexie.delete(of);
    await fill(of, copy, {});
  });
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

async function copyTo(name: string, stored: Dexie, createdAt: number): Promise<void> {
  await Dexie.delete(name);
  const mark = { name, of: stored.name, version: stored.verno, createdAt };
  await fill(name, stored, { mark });
}

/** Creates a database with the tables and rows of another; with `mark`, it is told last what it is. */
async function fill(
  name: string,
  from: Dexie,
  { mark }: { mark?: Omit<Backup, 'rows' | 'bytes'> },
): Promise<void> {
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
