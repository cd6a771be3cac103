/**
 * Contents by their lower-case hexadecimal SHA-256. Methods may be slow; a write rejects when the disk is full.
 * A blob is immutable.
 */
export interface BlobStore {
  /** Stores the bytes and returns their hash. Resolves when they are on disk. */
  put(bytes: Uint8Array<ArrayBuffer>): Promise<string>;
  /** Undefined when the blob is not here. */
  get(hash: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  delete(hash: string): Promise<void>;
}
