/** What is known of a stored blob beside its contents. */
export type BlobFacts = {
  hash: string;
  /** Bytes. */
  size: number;
  /** When it was last stored or read, as milliseconds since the epoch. */
  usedAt: number;
  /** Whether the room has it whole, as it last said. */
  atRoom: boolean;
};
export type BlobUse = Pick<BlobFacts, 'usedAt' | 'atRoom'>;

/**
 * Contents by their lower-case hexadecimal SHA-256. Methods may be slow; a write rejects when the disk is full.
 * A blob is immutable.
 */
export interface BlobStore {
  /** Stores the bytes and what is known of them, and returns their hash. Resolves when they are on disk. */
  put(bytes: Uint8Array<ArrayBuffer>, use?: BlobUse): Promise<string>;
  /** Undefined when the blob is not here. */
  get(hash: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  delete(hash: string): Promise<void>;
  /** Every blob that is here, in no particular order; contents are not read. */
  list(): Promise<BlobFacts[]>;
  /** Changes what is known of blobs; those that are not here are passed over. */
  note(changes: readonly ({ hash: string } & Partial<BlobUse>)[]): Promise<void>;
}
