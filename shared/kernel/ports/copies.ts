import type { BlobStore } from './blob-store.ts';
import type { DocStore } from './doc-store.ts';

/**
 * A whole copy of what a host stores. `version`: of the program’s data; `createdAt`: milliseconds since the epoch;
 * `returning`: it was made before somebody went back to another; `restored`: when what it holds last became what is stored,
 * or could not.
 */
export type Copy = {
  name: string;
  version: number;
  createdAt: number;
  bytes: number | null;
  returning: boolean;
  restored: { at: number; done: boolean } | null;
};

/** Copies that a host made of all that it stores, before a migration changed it or somebody went back. */
export interface Copies {
  /** The newest first. */
  list(): Promise<Copy[]>;
  /** To be read from; whoever opens one closes its `docs`. Rejects when there is no whole copy of this name. */
  open(name: string): Promise<{ docs: DocStore; blobs: Pick<BlobStore, 'get'> }>;
  /** Copies what is stored now. Rejects with what a person can do; then nothing is changed. */
  make(): Promise<Copy>;
  /**
   * Soon after this resolves, the host ends the kernel. The next one finds what is in the copy, and belongs to no room; if
   * that cannot be, what is in `instead`.
   */
  restore(name: string, instead: string): Promise<void>;
  /** Nothing happens when there is none. */
  remove(name: string): Promise<void>;
}
