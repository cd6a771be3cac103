import { Dexie, type EntityTable } from 'dexie';

export type UpdateRow = { seq: number; doc: string; bytes: Uint8Array };
export type BlobRow = { hash: string; bytes: Uint8Array<ArrayBuffer> };
/** What is known of a blob beside its contents. One from before there were such rows has none until it is asked for. */
export type BlobFactsRow = { hash: string; size: number; usedAt: number; atRoom: boolean };
export type SecretRow = { name: string; iv: Uint8Array<ArrayBuffer>; sealed: ArrayBuffer };
export type KeyRow = { name: string; key: CryptoKey };

/** The one database of this origin. What is acknowledged to somebody is written with strict durability. */
export type Database = Dexie & {
  updates: EntityTable<UpdateRow, 'seq'>;
  blobs: EntityTable<BlobRow, 'hash'>;
  blobFacts: EntityTable<BlobFactsRow, 'hash'>;
  secrets: EntityTable<SecretRow, 'name'>;
  keys: EntityTable<KeyRow, 'name'>;
};

export function openDatabase(name = 'gsv'): Database {
  const database = new Dexie(name, { chromeTransactionDurability: 'strict' }) as Database;
  database.version(1).stores({ updates: '++seq, doc', blobs: 'hash', secrets: 'name', keys: 'name' });
  // Only adds: what version 1 stored is neither read nor written, so nothing of it can be lost on the way.
  database.version(2).stores({ blobFacts: 'hash' });
  return database;
}

/** What a person is told when this device refuses to store something. */
export function storageProblem(thrown: unknown): Error {
  const name = thrown instanceof Error ? thrown.name : '';
  const inner = (thrown as { inner?: { name?: string } } | null)?.inner?.name ?? '';
  if (name === 'QuotaExceededError' || inner === 'QuotaExceededError') {
    return new Error(
      'This device has no space left for GSV. Free some space, then try again; nothing stored was lost.',
    );
  }
  return new Error(
    `This device could not store the change (${name || 'unknown error'}). Nothing stored was lost.`,
  );
}
