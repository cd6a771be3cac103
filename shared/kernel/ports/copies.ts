import type { BlobStore } from './blob-store.ts';
import type { DocStore } from './doc-store.ts';

/** A whole copy of what a host stores. `version`: of the program’s data; `createdAt`: milliseconds since the epoch. */
export type Copy = { name: string; version: number; createdAt: number; bytes: number | null };

/** Copies that a host made of all that it stores before a migration changed it. */
export interface Copies {
  /** The newest first. */
  list(): Promise<Copy[]>;
  /** To be read from; whoever opens one closes its `docs`. Rejects when there is no whole copy of this name. */
  open(name: string): Promise<{ docs: DocStore; blobs: Pick<BlobStore, 'get'> }>;
  /** Nothing happens when there is none. */
  remove(name: string): Promise<void>;
}
