/** What was stored of a document: apply the updates in order to get its state. */
export type StoredDoc = { updates: Uint8Array[] };

/**
 * Where a write may go: only into what is free, or also into what is kept free for changes that make room. So a person can
 * delete on a full disk.
 */
export type Space = 'free' | 'reserve';

/**
 * Durable storage of documents on this host. All methods may be slow and may reject (full disk, lost connection);
 * a rejected write is not stored. The kernel closes the store it was given.
 */
export interface DocStore {
  /** Everything stored of a document and what is queued to be; empty when there is nothing. */
  load(doc: string): Promise<StoredDoc>;
  /** Queues an update. Written within 25 ms, or at once by `flush`. */
  append(doc: string, update: Uint8Array): void;
  /**
   * Resolves when everything queued before the call is on disk, written in one transaction over all documents.
   * Rejects when it could not be written; what was queued stays queued.
   */
  flush(space?: Space): Promise<void>;
  /** Gives free what is kept for changes that make room, for a while. Resolves with whether there was anything. */
  spare(): Promise<boolean>;
  /** Replaces what is stored of a document by one update that holds all of it; `state` is called when the queue is empty. */
  compact(doc: string, state: () => Uint8Array): Promise<void>;
  /** Removes what is stored of a document, and what is queued. Works on a full disk. */
  remove(doc: string): Promise<void>;
  /** Names of stored documents that begin with `prefix`. */
  names(prefix: string): Promise<string[]>;
  /** Bytes that everything stored takes. */
  size(): Promise<number>;
  close(): Promise<void>;
}
