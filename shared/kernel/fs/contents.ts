import { messageOf, SyscallError } from '../../protocol/errors.ts';
import { fromBase64, toBase64 } from '../../std/bytes.ts';
import { Turns } from '../../std/turns.ts';
import { FsError } from './fs-error.ts';
import { blobOf, type Content, type Inode } from './inode-row.ts';
import type { Inodes } from './inodes.ts';

/** Longer contents live in the blob store (DESIGN 4). */
export const INLINE_BYTES = 4096;
const ELSEWHERE = 'this file’s contents are on another device and cannot be fetched now';

/** Where long contents are, by the lower-case hexadecimal SHA-256 of their bytes. */
export type ContentStore = {
  /** Resolves with the hash when the bytes are on disk; rejects when they cannot be. */
  put(bytes: Uint8Array<ArrayBuffer>): Promise<string>;
  /** Undefined when nobody has it; rejects when it cannot be fetched now. */
  get(hash: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  delete(hash: string): Promise<void>;
};

/** What refers to stored contents. */
export type BlobReferences = {
  /** Hashes of all contents that files have. */
  referred(): Iterable<string>;
  /** How many files have these. */
  references(hash: string): number;
  /** Deletes those that nothing refers to. */
  collect(hashes: readonly string[]): Promise<void>;
};

/**
 * The bytes of files. Invariants:
 * 1. A blob is on disk before a row points at it.
 * 2. A blob is deleted only when no row points at it and the row that did is known to be on disk as changed.
 * 3. Storing and deleting never overlap, so a blob that is being referred to again is not deleted.
 */
export class Contents implements BlobReferences {
  readonly #inodes: Inodes;
  readonly #blobs: ContentStore;
  readonly #garbage = new Set<string>();
  readonly #turns = new Turns();

  constructor(inodes: Inodes, blobs: ContentStore) {
    this.#inodes = inodes;
    this.#blobs = blobs;
  }

  async read(inode: Inode, path: string): Promise<Uint8Array<ArrayBuffer>> {
    const { content } = inode;
    if (!content) return new Uint8Array(0);
    if ('text' in content) return new TextEncoder().encode(content.text);
    if ('base64' in content) return fromBase64(content.base64);
    const bytes = await this.#blobs.get(content.blob).catch((thrown) => {
      throw new FsError('EIO', path, isChanged(thrown) ? messageOf(thrown) : ELSEWHERE);
    });
    if (!bytes) throw new FsError('EIO', path, ELSEWHERE);
    return bytes;
  }

  referred(): Iterable<string> {
    return this.#inodes.referred();
  }

  references(hash: string): number {
    return this.#inodes.references(hash);
  }

  /** Stores the bytes and hands `place` what a row needs to point at them. */
  async store(
    bytes: Uint8Array<ArrayBuffer>,
    path: string,
    place: (content: Content) => void,
  ): Promise<void> {
    const inline = inlineContent(bytes);
    if (inline) return place(inline);
    await this.#turns.take(async () => place({ blob: await this.#put(bytes, path) }));
  }

  async #put(bytes: Uint8Array<ArrayBuffer>, path: string): Promise<string> {
    try {
      return await this.#blobs.put(bytes);
    } catch (cause) {
      throw new FsError('ENOSPC', path, messageOf(cause));
    }
  }

  /** Remembers the blob of a row that is about to change, for `collect`. */
  release(inode: Inode): void {
    const hash = blobOf(inode);
    if (hash !== undefined) this.#garbage.add(hash);
  }

  /** What was released until now; pass it to `collect` when the rows are on disk. */
  released(): string[] {
    return [...this.#garbage];
  }

  /** Deletes what nothing refers to; what cannot be deleted now is tried again with the next. */
  async collect(hashes: readonly string[]): Promise<void> {
    if (hashes.length === 0) return;
    await this.#turns.take(async () => {
      for (const hash of hashes) {
        this.#garbage.delete(hash);
        if (this.#inodes.references(hash) > 0) continue;
        await this.#blobs.delete(hash).catch(() => this.#garbage.add(hash));
      }
    });
  }
}

function inlineContent(bytes: Uint8Array): Content | undefined {
  if (bytes.length > INLINE_BYTES) return undefined;
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { base64: toBase64(bytes) };
  }
}

/** Whether contents came, and were not what was stored. */
function isChanged(thrown: unknown): boolean {
  return thrown instanceof SyscallError && thrown.code === 502;
}
