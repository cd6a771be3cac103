import { Dexie, type EntityTable } from 'dexie';

/** `sealed`: by the key of this disk; what was stored before there was one is not, until `sealRest` has come to it. */
export type UpdateRow = { seq: number; doc: string; bytes: Uint8Array; sealed?: true };
export type BlobRow = { hash: string; bytes: Uint8Array<ArrayBuffer>; sealed?: true };
/** What is known of a blob beside its contents. One from before there were such rows has none until it is asked for. */
export type BlobFactsRow = { hash: string; size: number; usedAt: number; atRoom: boolean };
/** `by`: with which key; where nothing is said, with that of the browser. */
export type SecretRow =
  | { name: string; by?: undefined; iv: Uint8Array<ArrayBuffer>; sealed: ArrayBuffer }
  | { name: string; by: 'disk'; bytes: Uint8Array<ArrayBuffer> };
export type KeyRow = { name: string; key: CryptoKey };
/** What takes space that is given free when nothing else is left. */
export type ReserveRow = { name: string; bytes: Uint8Array<ArrayBuffer> };
/** Something that was done with the whole of this database. */
export type DoneRow = { name: string };

/** The one database of this origin. What is acknowledged to somebody is written with strict durability. */
export type Database = Dexie & {
  updates: EntityTable<UpdateRow, 'seq'>;
  blobs: EntityTable<BlobRow, 'hash'>;
  blobFacts: EntityTable<BlobFactsRow, 'hash'>;
  secrets: EntityTable<SecretRow, 'name'>;
  keys: EntityTable<KeyRow, 'name'>;
  done: EntityTable<DoneRow, 'name'>;
  reserve: EntityTable<ReserveRow, 'name'>;
};

export function openDatabase(name = 'gsv'): Database {
  const database = new Dexie(name, { chromeTransactionDurability: 'strict' }) as Database;
  database.version(1).stores({ updates: '++seq, doc', blobs: 'hash', secrets: 'name', keys: 'name' });
  // Only adds: what version 1 stored is neither read nor written, so nothing of it can be lost on the way.
  database.version(2).stores({ blobFacts: 'hash' });
  // Rows may be sealed from here on, which a program of version 2 would take for updates: it does not open this any more. The
  // kernel moves rows of `system` to `control` at its first start, too.
  database.version(3).stores({ done: 'name' });
  database.version(4).stores({ reserve: 'name' });
  return database;
}

/** What a person is told when this device refuses to store something. */
export function storageProblem(thrown: unknown): Error {
  const name = nameOf(thrown);
  if (isFull(thrown)) {
    return new Error(
      'This device has no space left for GSV. Free some space, then try again; nothing stored was lost.',
    );
  }
  return new Error(
    `This device could not store the change (${name || 'unknown error'}). Nothing stored was lost.`,
  );
}

/** Whether there was no room. */
export function isFull(thrown: unknown): boolean {
  const inner = (thrown as { inner?: unknown } | null)?.inner;
  return [thrown, inner].some((error) => nameOf(error) === 'QuotaExceededError');
}

function nameOf(thrown: unknown): string {
  return (thrown as { name?: string } | null | undefined)?.name ?? '';
}
