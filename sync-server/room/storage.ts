/** What is stored of one document: apply the updates in order to get its state. */
export type StoredDocument = {
  /** Number of the newest stored update; 0 when there is none. */
  seq: number;
  updates: Uint8Array[];
};

/** What is stored of one blob. */
export type StoredBlob = {
  /** How many of its bytes are there, from the first on. */
  stored: number;
  /** All bytes are there, and have its hash. */
  whole: boolean;
  /** Since when nothing refers to it; of a blob that is not whole, when it was last asked for or grew. Null: kept for good. */
  unusedSince: number | null;
};

/**
 * The room's durable storage. Every method may be slow and may reject (disk full, host gone); a rejected write
 * changed nothing. A resolved write is on disk. The host owns and closes it.
 */
export interface RoomStorage {
  /**
   * Resolves when what has arrived at the host by now has been handed to the room: a write that is begun then takes it
   * along. Never rejects.
   */
  turn(): Promise<void>;
  /** Adds updates to a document's log, all or none, and resolves with the last one's number; numbers rise by one from 1. */
  append(doc: string, updates: readonly Uint8Array[]): Promise<number>;
  load(doc: string): Promise<StoredDocument>;
  /** Replaces all updates up to and including `seq` by one that holds their whole state. Atomic. */
  compact(doc: string, seq: number, state: Uint8Array): Promise<void>;
  /** Names of the documents of which something is stored, in no particular order. */
  documents(): Promise<string[]>;
  /** Removes documents, all or none, and resolves with how many of them there were. */
  removeDocuments(docs: readonly string[]): Promise<number>;
  /** Overwrites what removals have left on the disk, as far as the host can. Slow; takes room for a moment. */
  scrub(): Promise<void>;

  blob(hash: string): Promise<StoredBlob | undefined>;
  /** Notes what is stored of a blob together with the bytes that were added at its end. Atomic. */
  putBlob(hash: string, blob: StoredBlob, added?: Uint8Array): Promise<void>;
  /** Some bytes of a blob from `offset` on, at most 1 MiB; none past its end. */
  readBlob(hash: string, offset: number): Promise<Uint8Array>;
  removeBlob(hash: string): Promise<void>;
  /** Blobs that have been unused since `time` or longer. */
  unusedBlobs(time: number): Promise<string[]>;

  /** Small JSON values by key. */
  get(key: string): Promise<unknown>;
  put(key: string, value: unknown): Promise<void>;
  delete(key: string): Promise<void>;
  /** Values whose keys begin with `prefix`, in the order of their keys. */
  list(prefix: string): Promise<[string, unknown][]>;

  /** Removes everything. */
  clear(): Promise<void>;
}
