/** What is stored of one document: apply the updates in order to get its state. */
export type StoredDocument = {
  /** Number of the newest stored update; 0 when there is none. */
  seq: number;
  updates: Uint8Array[];
};

/**
 * The room's durable storage. Every method may be slow and may reject (disk full, host gone); a rejected write
 * changed nothing. A resolved write is on disk. The host owns and closes it.
 */
export interface RoomStorage {
  /** Adds updates to a document's log, all or none, and resolves with the last one's number; numbers rise by one from 1. */
  append(doc: string, updates: readonly Uint8Array[]): Promise<number>;
  load(doc: string): Promise<StoredDocument>;
  /** Replaces all updates up to and including `seq` by one that holds their whole state. Atomic. */
  compact(doc: string, seq: number, state: Uint8Array): Promise<void>;
  /** Removes everything stored of every document. */
  removeDocuments(): Promise<void>;

  /** Small JSON values by key. */
  get(key: string): Promise<unknown>;
  put(key: string, value: unknown): Promise<void>;
  delete(key: string): Promise<void>;
  /** Values whose keys begin with `prefix`, in the order of their keys. */
  list(prefix: string): Promise<[string, unknown][]>;
}
